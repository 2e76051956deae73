"""The tool loop that recorded the sessions in `examples/sessions/`."""
