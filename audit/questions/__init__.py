"""What the model is asked: a signature for each group of topics, and a case for each fault and situation.

Imports `facts` and below."""
