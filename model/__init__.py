"""The protocols: each is a module or a package of the model's name, and reads from top to bottom as a story.

A model `X` is `model/X`, its properties are `invariants/X`, what is recorded of it `spec/X.toml`. `parts/` is what
several of them hold; `studies/` is what stands beside the protocols, in the same way: `model/studies/Y`,
`invariants/studies/Y` and `spec/Y.toml`.
"""
