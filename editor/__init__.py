"""The language server: what an editor shows of a model while its author types.

Read in this order: `files` (which model a file belongs to, and unsaved text), `reading` (what is wrong with it and what
its parts mean), `checking` (a check and what it found), `worker` (both in a process of their own, since to read a model
is to execute its text), `processes` (those processes, from outside), `places` and `trace_steps` (where things stand in
an editor's documents), `session` (what is open, and what is known of it), `server` (the protocol)."""
