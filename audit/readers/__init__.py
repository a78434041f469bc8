"""Files to facts: one reader a format, chosen by content and name; `read` puts the facts together."""
