"""Real nodes of Kafka, whatever they are driven through.

`releases.py` has Kafka's jars, `processes.py` starts processes that end with this one, on clocks that `clocks.py` can
put forward. `gates.py` holds requests between them, `lines.py` those of a client, `client.py` is Kafka's own client.
`wire.py` and `group_wire.py` speak Kafka's protocol, `disks.py` reads and cuts what brokers wrote. `running.py` is
their life from start to end, and `cluster.py` a small cluster of them.
"""
