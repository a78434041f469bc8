"""A model as a TLA+ module and a configuration that TLC runs.

    terms.py           a formula of TLA+ as a value, on one line or on several
    names.py           which name each thing has in the module
    values.py          types as sets, constants as values
    expressions.py     expressions of the typed form as formulas
    functions.py       helpers and properties, their cases and loops, as operators
    actions.py         an action: its guards, and what each variable is afterwards
    module.py          all of a model in order, and the configuration

Each reads those above it.
"""
