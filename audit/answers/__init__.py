"""What the answers mean for a topic, its producers and its consumers, and for what is required of it.

Imports `exploring` and below."""
