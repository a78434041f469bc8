"""The part of llvmlite that this project uses, typed; llvmlite itself ships no types."""

__version__: str
