"""What must happen: properties of whole runs, checked on a graph of states and steps that is written down.

questions -> a graph (`reference` in plain Python, or `native.network`) -> `finding` -> `answers`, replayed by the judge
"""
