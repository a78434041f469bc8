"""What must hold of consumer groups, a file for each protocol."""
