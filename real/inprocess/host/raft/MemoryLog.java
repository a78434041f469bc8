package org.apache.kafka.raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotReader;
import org.apache.kafka.snapshot.RawSnapshotWriter;

/**
 * A log in memory, with what of it is on the disk: a loss of power takes back what was not flushed. It says what
 * Kafka's own log says to the same calls, and remembers each epoch's start as that does. Methods that one release has
 * and another has not are all here, so none of them says that it overrides.
 */
class MemoryLog implements RaftLog {
    static final TopicPartition PARTITION = new TopicPartition("__cluster_metadata", 0);
    static final Uuid TOPIC = new Uuid(0L, 1L);

    /** One batch: where it begins and ends, its epoch, its bytes, and the number of each of its records. */
    record Stored(long base, long last, int epoch, byte[] bytes, int[] numbers) { }

    private final Settings settings;
    private List<Stored> batches = new ArrayList<>();
    private TreeMap<Integer, Long> starts = new TreeMap<>();
    private final TreeMap<OffsetAndEpoch, MemorySnapshot> snapshots = new TreeMap<>();
    private long start = 0;
    private long end = 0;
    private long flushed = 0;
    private LogOffsetMetadata highWatermark = new LogOffsetMetadata(0);
    int changes = 0;

    MemoryLog(Settings settings) {
        this.settings = settings;
    }

    // --- what only the host asks --------------------------------------------------------------------------------

    long flushedEnd() {
        return Math.max(start, flushed);
    }

    int batchCount() {
        return batches.size();
    }

    /** The epoch and the number of the record at an offset; null below the log's start and above its end. */
    Entry entryAt(long offset) {
        int at = indexOf(offset);
        if (at < 0) {
            return null;
        }
        Stored batch = batches.get(at);
        return new Entry(batch.epoch(), batch.numbers()[(int) (offset - batch.base())]);
    }

    /** What is on the disk after a crash: all that was flushed, and of the rest what ends at or before `kept`. */
    void crash(long kept) {
        long upTo = Math.max(flushedEnd(), Math.min(end, kept));
        while (!batches.isEmpty() && batches.get(batches.size() - 1).last() >= upTo) {
            batches.remove(batches.size() - 1);
        }
        end = batches.isEmpty() ? start : batches.get(batches.size() - 1).last() + 1;
        flushed = end;
        starts.values().removeIf(from -> from >= end);
        highWatermark = new LogOffsetMetadata(start);
        changes++;
    }

    // --- what Kafka asks ----------------------------------------------------------------------------------------

    public LogAppendInfo appendAsLeader(Records records, int epoch) {
        return append(records, Integer.MAX_VALUE);
    }

    public LogAppendInfo appendAsFollower(Records records) {
        return append(records, Integer.MAX_VALUE);
    }

    public LogAppendInfo appendAsFollower(Records records, int epoch) {
        return append(records, epoch);
    }

    private LogAppendInfo append(Records records, int epoch) {
        if (records.sizeInBytes() == 0) {
            throw new IllegalArgumentException("Attempt to append an empty record set");
        }
        long first = end;
        for (RecordBatch batch : records.batches()) {
            if (batch.partitionLeaderEpoch() > epoch) {
                break;
            }
            if (batch.baseOffset() != end) {
                throw new IllegalStateException("a batch at offset " + batch.baseOffset() + " is appended at " + end);
            }
            add(batch);
        }
        changes++;
        return new LogAppendInfo(first, end - 1);
    }

    private void add(RecordBatch batch) {
        ByteBuffer copy = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(copy);
        int[] numbers = new int[(int) (batch.lastOffset() - batch.baseOffset()) + 1];
        int at = 0;
        for (Record record : batch) {
            numbers[at++] = batch.isControlBatch() ? Numbers.ofControl(record) : Numbers.of(record.value());
        }
        batches.add(new Stored(batch.baseOffset(), batch.lastOffset(), batch.partitionLeaderEpoch(), copy.array(), numbers));
        if (starts.isEmpty() || starts.lastKey() < batch.partitionLeaderEpoch()) {
            assign(batch.partitionLeaderEpoch(), batch.baseOffset());
        }
        end = batch.lastOffset() + 1;
    }

    private void assign(int epoch, long offset) {
        if (!starts.isEmpty() && starts.lastKey() == epoch) {
            return;
        }
        starts.tailMap(epoch).clear();
        starts.values().removeIf(from -> from >= offset);
        starts.put(epoch, offset);
    }

    public LogFetchInfo read(long from, Isolation isolation) {
        return read(from, isolation, Integer.MAX_VALUE);
    }

    public LogFetchInfo read(long from, Isolation isolation, int most) {
        if (from < start || from > end) {
            throw new OffsetOutOfRangeException("offset " + from + " of a log from " + start + " to " + end);
        }
        long limit = isolation == Isolation.COMMITTED ? Releases.offset(highWatermark) : end;
        int at = indexOf(from);
        List<Stored> found = new ArrayList<>();
        int size = 0;
        while (at >= 0 && at < batches.size() && batches.get(at).base() < limit) {
            Stored batch = batches.get(at++);
            if (!found.isEmpty() && (found.size() >= settings.batchesARead || size + batch.bytes().length > most)) {
                break;
            }
            found.add(batch);
            size += batch.bytes().length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        found.forEach(batch -> bytes.put(batch.bytes()));
        bytes.flip();
        long base = found.isEmpty() ? from : found.get(0).base();
        return new LogFetchInfo(MemoryRecords.readableRecords(bytes), new LogOffsetMetadata(base));
    }

    private int indexOf(long offset) {
        int low = 0;
        int high = batches.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Stored batch = batches.get(middle);
            if (offset < batch.base()) {
                high = middle - 1;
            } else if (offset > batch.last()) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    public int lastFetchedEpoch() {
        if (!starts.isEmpty()) {
            return starts.lastKey();
        }
        return latestSnapshotId().map(OffsetAndEpoch::epoch).orElse(0);
    }

    public OffsetAndEpoch endOffsetForEpoch(int epoch) {
        Map.Entry<Integer, Long> higher = starts.higherEntry(epoch);
        if (higher == null) {
            return new OffsetAndEpoch(end, lastFetchedEpoch());
        }
        Integer floor = starts.floorKey(epoch);
        Optional<OffsetAndEpoch> earliest = earliestSnapshotId();
        if (floor == null && earliest.isPresent() && higher.getValue() == earliest.get().offset()) {
            return earliest.get().epoch() == epoch ? earliest.get() : new OffsetAndEpoch(higher.getValue(), epoch);
        }
        return new OffsetAndEpoch(higher.getValue(), floor == null ? epoch : floor);
    }

    public LogOffsetMetadata endOffset() {
        return new LogOffsetMetadata(end);
    }

    public LogOffsetMetadata highWatermark() {
        return highWatermark;
    }

    public long startOffset() {
        return start;
    }

    public void initializeLeaderEpoch(int epoch) {
        assign(epoch, end);
        changes++;
    }

    public void truncateTo(long offset) {
        if (offset < Releases.offset(highWatermark)) {
            throw new IllegalArgumentException(
                "Attempt to truncate to offset " + offset + ", which is below the current high watermark "
                    + Releases.offset(highWatermark));
        }
        batches.removeIf(batch -> batch.last() >= offset);
        end = Math.max(start, batches.isEmpty() ? start : batches.get(batches.size() - 1).last() + 1);
        flushed = Math.min(flushed, end);
        starts.values().removeIf(from -> from >= offset);
        changes++;
    }

    public boolean truncateToLatestSnapshot() {
        Optional<OffsetAndEpoch> latest = latestSnapshotId();
        int epoch = starts.isEmpty() ? 0 : starts.lastKey();
        if (latest.isEmpty() || !(latest.get().epoch() > epoch
            || (latest.get().epoch() == epoch && latest.get().offset() > end))) {
            return false;
        }
        batches = new ArrayList<>();
        starts = new TreeMap<>();
        start = latest.get().offset();
        end = start;
        flushed = start;
        highWatermark = new LogOffsetMetadata(start);
        snapshots.headMap(latest.get(), false).clear();
        changes++;
        return true;
    }

    public void updateHighWatermark(LogOffsetMetadata offset) {
        long wanted = Math.max(start, Math.min(end, Releases.offset(offset)));
        highWatermark = new LogOffsetMetadata(wanted);
    }

    public boolean deleteBeforeSnapshot(OffsetAndEpoch id) {
        Optional<OffsetAndEpoch> latest = latestSnapshotId();
        boolean may = latest.isPresent() && snapshots.containsKey(id) && start < id.offset()
            && id.offset() <= latest.get().offset() && id.offset() <= Releases.offset(highWatermark);
        if (!may) {
            return false;
        }
        start = id.offset();
        batches.removeIf(batch -> batch.last() < start);
        Map.Entry<Integer, Long> floor = null;
        for (Map.Entry<Integer, Long> entry : starts.entrySet()) {
            floor = entry.getValue() <= start ? Map.entry(entry.getKey(), entry.getValue()) : floor;
        }
        starts.values().removeIf(from -> from < start);
        if (floor != null) {
            starts.put(floor.getKey(), start);
        }
        snapshots.headMap(id, false).clear();
        changes++;
        return true;
    }

    public void flush(boolean all) {
        while (settings.defect.equals("never_returns")) {
            Thread.onSpinWait();
        }
        if (!settings.defect.equals("forgets_flush")) {
            flushed = end;
        }
    }

    public boolean maybeClean() {
        return false;
    }

    public TopicPartition topicPartition() {
        return PARTITION;
    }

    public Uuid topicId() {
        return TOPIC;
    }

    public Optional<RawSnapshotWriter> createNewSnapshot(OffsetAndEpoch id) {
        if (id.offset() < start) {
            return Optional.empty();
        }
        if (id.offset() > Releases.offset(highWatermark)) {
            throw new IllegalArgumentException(
                "Cannot create a snapshot with an id (" + id + ") greater than the high-watermark");
        }
        ValidOffsetAndEpoch valid = validateOffsetAndEpoch(id.offset(), id.epoch());
        if (valid.kind() != ValidOffsetAndEpoch.Kind.VALID) {
            throw new IllegalArgumentException("Snapshot id (" + id + ") is not valid according to the log: " + valid);
        }
        return createNewSnapshotUnchecked(id);
    }

    public Optional<RawSnapshotWriter> createNewSnapshotUnchecked(OffsetAndEpoch id) {
        return snapshots.containsKey(id) ? Optional.empty() : Optional.of(new MemorySnapshot.Writer(id, this::frozen));
    }

    public Optional<RawSnapshotWriter> storeSnapshot(OffsetAndEpoch id) {
        return createNewSnapshotUnchecked(id);
    }

    private void frozen(MemorySnapshot snapshot) {
        snapshots.put(snapshot.snapshotId(), snapshot);
        changes++;
    }

    public void onSnapshotFrozen(OffsetAndEpoch id) {
        // what is frozen is known already
    }

    public Optional<RawSnapshotReader> readSnapshot(OffsetAndEpoch id) {
        return Optional.ofNullable(snapshots.get(id));
    }

    public Optional<RawSnapshotReader> latestSnapshot() {
        return latestSnapshotId().flatMap(this::readSnapshot);
    }

    public Optional<OffsetAndEpoch> latestSnapshotId() {
        return snapshots.isEmpty() ? Optional.empty() : Optional.of(snapshots.lastKey());
    }

    public Optional<OffsetAndEpoch> earliestSnapshotId() {
        return snapshots.isEmpty() ? Optional.empty() : Optional.of(snapshots.firstKey());
    }

    public void close() {
        // nothing is open
    }
}
