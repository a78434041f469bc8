"""What is said of a run: the trace document, with the words, pictures and reasons that every report shows."""
