package org.apache.kafka.raft;

import java.nio.ByteBuffer;

import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.server.common.serialization.RecordSerde;

/** Records are numbers from 1 on. A LeaderChange is 0, any other record that Kafka writes by itself is below that. */
final class Numbers implements RecordSerde<Integer> {
    static final int LEADER_CHANGE = 0;

    @Override
    public int recordSize(Integer data, ObjectSerializationCache cache) {
        return Integer.BYTES;
    }

    @Override
    public void write(Integer data, ObjectSerializationCache cache, Writable out) {
        out.writeInt(data);
    }

    @Override
    public Integer read(Readable input, int size) {
        return input.readInt();
    }

    static int of(ByteBuffer value) {
        return value.getInt(value.position());
    }

    static int ofControl(Record record) {
        ControlRecordType type = ControlRecordType.parse(record.key());
        return type == ControlRecordType.LEADER_CHANGE ? LEADER_CHANGE : -1 - type.ordinal();
    }
}
