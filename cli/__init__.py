"""The command line: one file per verb, thin. `main` has the table of verbs."""
