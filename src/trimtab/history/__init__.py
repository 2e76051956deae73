"""What happened: messages, exchanges, and the provider rules that a context must obey."""
