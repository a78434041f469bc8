"""The document of an audit, and the words in which it is told.

Imports every room but `auditing`'s."""
