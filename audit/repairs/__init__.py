"""Changes that are tried where something failed, and what to type for them.

Imports `answers` and below."""
