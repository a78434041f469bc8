"""The document of an audit, and the words that it is written in.

Imports all other folders of the audit."""
