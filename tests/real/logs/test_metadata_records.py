"""Records of a metadata log as they are printed and as a segment has them."""

from __future__ import annotations

from tidegate.real.logs.metadata_records import decode_record

from ...support.histories import HISTORIES, STANDING, cluster


def test_a_printed_log_says_what_its_segment_says() -> None:
    assert cluster(HISTORIES / "last_replica_standing.txt") == cluster(STANDING)


REGISTERED = (
    "0100040000000300bdfc3618091444979cd3822ae34f8be4000000000000000d020a504c41494e544558540a3132372e302e302e31abef0000"
    "00080e6b726166742e76657273696f6e00000001000e67726f75702e76657273696f6e00000001001073747265616d732e76657273696f6e00"
    "00000100147472616e73616374696f6e2e76657273696f6e000000020021656c696769626c652e6c65616465722e7265706c696361732e7665"
    "7273696f6e0000000100116d657461646174612e76657273696f6e0007001e000e73686172652e76657273696f6e0000000100000100010011"
    "02f3d23358c506cdc2466469388b9a0600"
)


def test_registrations_of_4_3_with_directories_that_are_cordoned() -> None:
    """As brokers and a controller of 4.3.0 wrote them (KIP-1066)."""
    registered = decode_record(bytes.fromhex(REGISTERED))
    assert registered is not None and registered.kind == "REGISTER_BROKER_RECORD"
    assert (registered.fields["brokerId"], registered.fields["fenced"]) == (3, True)
    changed = decode_record(bytes.fromhex("01110300000002000000000000000c01030101"))
    assert changed is not None and changed.kind == "BROKER_REGISTRATION_CHANGE_RECORD"
    assert changed.fields == {"brokerId": 2, "brokerEpoch": 12, "cordonedLogDirs": []}
