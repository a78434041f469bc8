"""The process of a machine that Spark's Python workers are forked from, with what tasks need loaded already: once a
machine then, and not once a worker. It is set aside from garbage collection, which Spark asks for after each task.

Spark starts it as `python -m`, by the setting spark.python.daemon.module.
"""

from __future__ import annotations

import gc

from pyspark.daemon import manager

from . import adapter as adapter

if __name__ == "__main__":
    gc.collect()
    gc.freeze()
    manager()
