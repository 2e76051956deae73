"""The documentation: pages, the example they show, and the generator of their tables."""
