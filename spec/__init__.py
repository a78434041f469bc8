"""The formal specification as recorded facts (`*.toml`) and generated pages (`*.md`). Data, no code."""
