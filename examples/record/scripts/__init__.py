"""What the agent and the user say in each recorded session, and which tools are called."""
