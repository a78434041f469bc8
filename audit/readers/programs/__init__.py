"""Programs that run Kafka's clients by settings of their own: Spring, Connect, Streams, MirrorMaker, frameworks."""
