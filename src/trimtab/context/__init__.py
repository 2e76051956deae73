"""What is sent: budget, edits, plan, projection, measured sizes."""
