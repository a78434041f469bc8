"""What must hold of transactions, a file for each model."""
