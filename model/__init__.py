"""The protocols, one file each: read from top to bottom, each is a story."""
