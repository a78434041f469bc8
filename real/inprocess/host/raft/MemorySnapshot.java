package org.apache.kafka.raft;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.common.record.UnalignedMemoryRecords;
import org.apache.kafka.common.record.UnalignedRecords;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotReader;
import org.apache.kafka.snapshot.RawSnapshotWriter;

/** A snapshot in memory. What is frozen is on the disk. */
final class MemorySnapshot implements RawSnapshotReader {
    private final OffsetAndEpoch id;
    private final byte[] bytes;

    MemorySnapshot(OffsetAndEpoch id, byte[] bytes) {
        this.id = id;
        this.bytes = bytes;
    }

    @Override
    public OffsetAndEpoch snapshotId() {
        return id;
    }

    @Override
    public long sizeInBytes() {
        return bytes.length;
    }

    @Override
    public UnalignedRecords slice(long position, int size) {
        int from = (int) position;
        return new UnalignedMemoryRecords(ByteBuffer.wrap(bytes, from, Math.min(size, bytes.length - from)).slice());
    }

    @Override
    public Records records() {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    }

    /** One that is being written; `frozen` is told of it once it is whole. */
    static final class Writer implements RawSnapshotWriter {
        private final OffsetAndEpoch id;
        private final Consumer<MemorySnapshot> frozen;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean isFrozen = false;

        Writer(OffsetAndEpoch id, Consumer<MemorySnapshot> frozen) {
            this.id = id;
            this.frozen = frozen;
        }

        @Override
        public OffsetAndEpoch snapshotId() {
            return id;
        }

        @Override
        public long sizeInBytes() {
            return written.size();
        }

        @Override
        public void append(MemoryRecords records) {
            append(records.buffer());
        }

        @Override
        public void append(UnalignedMemoryRecords records) {
            append(records.buffer());
        }

        private void append(ByteBuffer buffer) {
            if (isFrozen) {
                throw new IllegalStateException("Append is not supported. Snapshot is already frozen: id = " + id);
            }
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            written.writeBytes(copy);
        }

        @Override
        public boolean isFrozen() {
            return isFrozen;
        }

        @Override
        public void freeze() {
            isFrozen = true;
            frozen.accept(new MemorySnapshot(id, written.toByteArray()));
        }

        @Override
        public void close() {
            // one that was not frozen is forgotten
        }
    }
}
