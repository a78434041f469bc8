"""Facts that answers depend on, each with the values that it may have: placement, creation, producers, controllers.

Imports `kafka`, `cluster` and `startup`."""
