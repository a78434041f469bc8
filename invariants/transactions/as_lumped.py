"""Transactions with every step and every field (`lumped=false`), claimed to be those that forget what can make no
difference any more (`lumped=true`): one model, and two values of one constant.

Each property of `properties.py` that is true of a state's image is true of the state: what is forgotten is read by none
of them but for records, which have their place in the image. So what holds of the smaller one holds of the larger one.
"""

from __future__ import annotations

from ...language import STUTTERS, refines, replace
from ...model import transactions
from ...model.transactions.coordinator import late_marker_arrives
from ...model.transactions.lumping import late_that_matters, what_is_known, what_is_next
from ...model.transactions.state import Cluster

modules = (*transactions.modules, transactions)
profiles = transactions.profiles
view = transactions.view


@refines(
    transactions,
    {late_marker_arrives: (late_marker_arrives, STUTTERS)},
    lumped=True,
)
def as_lumped(s: Cluster) -> Cluster:
    """What is forgotten makes no difference: each step is one of the transactions that forget it."""
    return replace(
        s,
        late=late_that_matters(s),
        producers=what_is_known(s),
        sequence=what_is_next(s),
    )
