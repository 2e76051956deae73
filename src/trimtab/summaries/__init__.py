"""What stands for what left: the template, summarisers, and the guard that checks them."""
