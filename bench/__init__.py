"""What it costs: run as `python -m bench`."""
