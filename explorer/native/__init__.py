"""The native engine: the typed form compiled through LLVM, explored breadth first over an exact visited set.

layout, cells, shapes        where values lie, and how code takes them apart
expressions, loops, statements, actions      the typed form as LLVM code
canonical                    symmetry
machine, kernel              the explorer's own loops
program, compiler, kernels   a model as a module, as object code, in the cache
memory, frontier, search, outcome            a running search and its verdict
"""
