"""The command line: one file per verb, thin. `entry` is where the command begins, `main` has the table of verbs."""
