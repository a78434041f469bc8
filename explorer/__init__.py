"""The engines. Each takes a bound model and a `Search` and returns a `Verdict`; models and properties arrive as values."""
