"""From Python's syntax tree to the typed form: what an author may write, what each construct means, and the error where
it may not be written. `language/errors.py` has every code."""
