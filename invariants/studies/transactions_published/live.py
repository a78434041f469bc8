"""What must happen in the published module of InitProducerId: `EventuallyAllClientsGetPid`, with the fairness of its
`LivenessSpec`, and with less.

The module has fairness of each pair of client and broker; here it is of each broker. With one client, as in the
module's own configuration, that is the same; with more it is weaker, so that what holds here holds there.
"""

from __future__ import annotations

from ....language import eventually_always, reachable, strong, weak
from ....model.studies import transactions_published
from ....model.studies.transactions_published import *

modules = (transactions_published,)
profiles = transactions_published.profiles
view = transactions_published.view

_ASKS = (strong(send_request, each="broker"),)
_ANSWERS = (weak(receive_request), weak(receive_answer), weak(commit_record))


def have_ids(s: Cluster) -> bool:
    """Whether every client has a producer id."""
    return all(s.phase[c] == Phase.HAS_ID for c in Client)


@eventually_always(*_ASKS, *_ANSWERS)
def all_clients_get_their_id(s: Cluster) -> bool:
    """TL3: in the end every client has a producer id."""
    return have_ids(s)


@eventually_always(weak(send_request, each="broker"), *_ANSWERS)
def all_clients_get_their_id_if_weakly_fair(s: Cluster) -> bool:
    """TL3 without what it needs: a client may ask a broker that is not the coordinator, again and again."""
    return have_ids(s)


@eventually_always(*_ASKS, weak(receive_request), weak(receive_answer))
def all_clients_get_their_id_without_commits(s: Cluster) -> bool:
    """TL3 without what it needs: the log commits nothing."""
    return have_ids(s)


@reachable
def is_refused_and_asks_again(s: Cluster) -> bool:
    """A client that was refused has asked again."""
    return any(s.last_error[c] is not None and s.phase[c] == Phase.SENT for c in Client)
