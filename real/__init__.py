"""Real clusters against the model: what one wrote, and whether the model does so; and real nodes that are driven.

`logs/` reads what nodes write, as bytes and as lines. `history/` is what that says of each partition, moment by moment.
`validation/` holds a history against the partition's model. `driving/` starts real nodes and drives them. Data goes in
this order, and so do imports.
"""
