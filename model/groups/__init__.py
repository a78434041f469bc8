"""Consumer groups: who consumes which partition, and how far each group has come.

`classic/` is the protocol of 0.9 to today (KIP-62, KIP-429), a model of the catalogue named `classic_group`.
`consumer/` is that of KIP-848 as its published module has it, named `consumer_group`; `modern/` as Kafka 4 has it,
named `modern_group`.
`static_members.py` is KIP-345: instances whose clients come and go, named `static_members`.
`outage.py` has the topic of offsets on brokers, named `offsets_outage`: which groups stop with a broker that is killed.
`assignors.py`, named `assignors`, `sticky/`, named `sticky_assignors`, and the coordinator's `uniform.py`, named
`uniform_assignor`, and `uniform_heterogeneous.py`, of that name, have the functions that divide partitions among
members; `topology.py` is what they are given.
"""
