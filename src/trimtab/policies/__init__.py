"""What stays: one file a policy, all the same shape."""
