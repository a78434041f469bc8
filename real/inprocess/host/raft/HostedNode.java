package org.apache.kafka.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage; //[4.4-]

import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.SnapshotReader;
import org.apache.kafka.snapshot.SnapshotWriter;

import tidegate.Clock;

/**
 * One controller: its disk, its clock, and, while it runs, Kafka's own client with what the host gives it in place of
 * threads, sockets and files. Nothing happens in it but in {@link #settle}.
 */
final class HostedNode {
    /**
     * A node that polls so often without waiting for anything, though nothing arrives, is in a busy loop. Beside these
     * a poll may hand a batch of its log to a listener that has not seen it yet.
     */
    private static final int MOST_POLLS = 60;

    final int id;
    private final World world;
    private final Settings settings;
    final Clock clock = new Clock();
    MemoryLog log;
    MemoryStore store;
    int disk = 0;
    int incarnation = 0;
    KafkaRaftClient<Integer> client = null;
    Metrics metrics = null;
    Controller controller = null;
    private Queue queue = null;
    private List<Expiration> expirations = new ArrayList<>();

    HostedNode(int id, World world, Settings settings) {
        this.id = id;
        this.world = world;
        this.settings = settings;
        newDisk();
    }

    boolean isUp() {
        return client != null;
    }

    // --- its life ---------------------------------------------------------------------------------------------------

    private void newDisk() {
        log = new MemoryLog(settings);
        store = new MemoryStore(settings);
        if (settings.dynamic && id <= settings.voters && disk == 0) {
            Releases.bootstrap(log, settings);
        }
    }

    void start() {
        incarnation++;
        queue = new Queue();
        expirations = new ArrayList<>();
        controller = new Controller();
        metrics = new Metrics(clock);
        OptionalInt self = OptionalInt.of(id);
        KafkaRaftClient<Integer> made = Releases.client(this, settings, self, Releases.directory(id, disk), new Numbers(), new Channel(), queue,
            log, store, new Pool(), clock, metrics, new Expirations(), 500, Boolean.TRUE, World.CLUSTER,
            new LogContext("[node " + id + "] "), new Random(world.seed * 31 + id * 7 + incarnation));
        Releases.initialize(made, settings, store, metrics);
        client = made;  // one that throws before does not run
        client.register(controller);
        settle();
    }

    /** The process is gone; of what was not flushed, so is what ends behind `kept`. */
    void crash(long kept) {
        if (metrics != null) {
            metrics.close();
        }
        client = null;
        metrics = null;
        controller = null;
        queue = null;
        expirations = new ArrayList<>();
        log.crash(kept);
        store.restart();
    }

    void replaceDisk() {
        disk++;
        newDisk();
    }

    // --- its one thread ---------------------------------------------------------------------------------------------

    /** Polls until it waits for a message or for time to pass. One that never does so is taken to wait for 1 ms. */
    void settle() {
        for (int polls = 0; client.isRunning(); polls++) {
            queue.waits = Long.MAX_VALUE;
            client.poll();
            if (queue.waits != Long.MAX_VALUE && queue.waits > 0 && queue.isEmpty() && !queue.woken) {
                return;
            }
            if (polls > MOST_POLLS + log.batchCount()) {
                world.judge.note("comes_to_rest", this, "node " + id + ", " + Releases.role(client.quorum())
                    + ", polls again and again without waiting for anything");
                queue.waits = 1;
                return;
            }
        }
    }

    /** Something arrives that nobody in this life of the node has asked for. */
    void arrives(RaftMessage message) {
        queue.add(message);
    }

    /** In how many ms something happens by itself; none below 1. */
    long untilDeadline() {
        long found = queue.waits;
        for (Expiration expiration : expirations) {
            found = Math.min(found, expiration.at - clock.now);
        }
        return Math.max(1, found);
    }

    void passTime(long ms) {
        clock.now += ms;
        for (Expiration expiration : new ArrayList<>(expirations)) {
            if (expiration.at <= clock.now) {
                expirations.remove(expiration);
                expiration.future.completeExceptionally(new TimeoutException("it took longer than it may"));
            }
        }
        expirations.removeIf(expiration -> expiration.future.isDone());
        settle();
    }

    // --- what its controller does -----------------------------------------------------------------------------------

    /** Whether the controller was told that it leads the epoch that the node is in, and has not lost it. */
    boolean isActive() {
        return isUp() && controller.leads == client.quorum().epoch() && client.quorum().isLeader();
    }

    void append(int first, int count) {
        Releases.append(client, controller.leads, numbers(first, count));
        settle();
    }

    /** The first half of {@link #append}, which a controller's own thread does. */
    void prepare(int first, int count) {
        Releases.prepare(client, controller.leads, numbers(first, count));
        settle();
    }

    /** The second half. */
    void schedule() {
        Releases.schedule(client);
        settle();
    }

    private static List<Integer> numbers(int first, int count) {
        List<Integer> records = new ArrayList<>();
        for (int number = first; number < first + count; number++) {
            records.add(number);
        }
        return records;
    }

    /** Takes a snapshot of all that the controller has applied; whether there was something to take. */
    boolean snapshot() {
        Entry last = log.entryAt(controller.applied);
        if (last == null) {
            return false;
        }
        OffsetAndEpoch at = new OffsetAndEpoch(controller.applied + 1, last.epoch());
        Optional<SnapshotWriter<Integer>> writer = client.createSnapshot(at, 0);
        if (writer.isEmpty()) {
            return false;
        }
        writer.get().append(new ArrayList<>(List.of((int) controller.appliedRecords)));
        writer.get().freeze();
        settle();
        return true;
    }

    /** Another listener registers, and is gone again. Where the node follows, it has to be told whom. */
    void register() {
        Latecomer listener = new Latecomer();
        client.register(listener);
        settle();
        LeaderAndEpoch known = client.quorum().leaderAndEpoch();
        if (client.quorum().isFollower() && !known.equals(listener.told)) {
            world.judge.note("listener_hears", this, "node " + id + " follows " + known + ", and a listener that registers is told "
                + (listener.told == null ? "nothing" : listener.told.toString()));
        }
        client.unregister(listener);
        settle();
    }

    // --- what Kafka's client is given -------------------------------------------------------------------------------

    /** What stands for the controller: it hears what is committed, and who leads. */
    final class Controller implements RaftClient.Listener<Integer> {
        long applied = -1;
        long appliedRecords = 0;
        int leads = -1;

        @Override
        public void handleCommit(BatchReader<Integer> reader) {
            try (reader) {
                while (reader.hasNext()) {
                    Batch<Integer> batch = reader.next();
                    long offset = batch.baseOffset();
                    for (Integer number : batch.records()) {
                        world.judge.applied(HostedNode.this, offset++, batch.epoch(), number);
                        appliedRecords++;
                    }
                    applied = Math.max(applied, batch.lastOffset());
                }
            }
        }

        public void handleLoadSnapshot(SnapshotReader<Integer> reader) {
            try (reader) {
                applied = reader.lastContainedLogOffset();
                appliedRecords = 0;
                while (reader.hasNext()) {
                    for (Integer count : reader.next().records()) {
                        appliedRecords = count;
                    }
                }
                world.judge.loaded(HostedNode.this, applied, appliedRecords);
            }
        }

        public void handleSnapshot(SnapshotReader<Integer> reader) {
            handleLoadSnapshot(reader);
        }

        public void handleLoadBootstrap(SnapshotReader<Integer> reader) {
            reader.close();
        }

        @Override
        public void handleLeaderChange(LeaderAndEpoch leader) {
            leads = leader.isLeader(id) ? leader.epoch() : -1;
            if (leads >= 0) {
                world.judge.active(HostedNode.this, leads);
            }
        }
    }

    /** What hears who leads, and reads what it is given; with what it did not read Kafka would come again. */
    private static final class Latecomer implements RaftClient.Listener<Integer> {
        private LeaderAndEpoch told = null;

        @Override
        public void handleCommit(BatchReader<Integer> reader) {
            try (reader) {
                reader.forEachRemaining(batch -> { });
            }
        }

        public void handleLoadSnapshot(SnapshotReader<Integer> reader) {
            reader.close();
        }

        public void handleSnapshot(SnapshotReader<Integer> reader) {
            reader.close();
        }

        public void handleLoadBootstrap(SnapshotReader<Integer> reader) {
            reader.close();
        }

        @Override
        public void handleLeaderChange(LeaderAndEpoch leader) {
            told = leader;
        }
    }

    /** A clock that only the schedule moves. */
    /** What arrives; it never blocks, and notes how long it would. */
    private static final class Queue implements RaftMessageQueue {
        private final ArrayDeque<RaftMessage> messages = new ArrayDeque<>(); //[-4.3]
        private final ArrayDeque<QueueEntry> messages = new ArrayDeque<>(); //[4.4-]
        private long waits = Long.MAX_VALUE;
        private boolean woken = false;

        @Override
        public RaftMessage poll(long timeout) { //[-4.3]
            RaftMessage found = messages.poll(); //[-4.3]
        public Optional<QueueEntry> poll(long timeout) { //[4.4-]
            QueueEntry found = messages.poll(); //[4.4-]
            if (found == null) {
                waits = woken ? 0 : timeout;
                woken = false;
            }
            return found; //[-4.3]
            return Optional.ofNullable(found); //[4.4-]
        }

        @Override
        public void add(RaftMessage message) { //[-4.3]
            messages.add(message); //[-4.3]
        public CompletionStage<RaftMessage> add(RaftMessage message) { //[4.4-]
            CompletableFuture<RaftMessage> future = new CompletableFuture<>(); //[4.4-]
            messages.add(new Waiting(message, future)); //[4.4-]
            return future; //[4.4-]
        }

        private record Waiting(RaftMessage message, CompletableFuture<RaftMessage> future) implements QueueEntry { } //[4.4-]

        @Override
        public boolean isEmpty() {
            return messages.isEmpty();
        }

        @Override
        public void wakeup() {
            woken = true;
        }
    }

    private final class Channel implements NetworkChannel {
        private int correlation = 0;

        @Override
        public int newCorrelationId() {
            return correlation++;
        }

        public void send(RaftRequest.Outbound request) { //[-4.3]
            world.send(HostedNode.this, request, request.completion); //[-4.3]
        } //[-4.3]

        public CompletionStage<RaftResponse.Inbound> send(RaftRequest.Outbound request) { //[4.4-]
            CompletableFuture<RaftResponse.Inbound> completion = new CompletableFuture<>(); //[4.4-]
            world.send(HostedNode.this, request, completion); //[4.4-]
            return completion; //[4.4-]
        } //[4.4-]

        public ListenerName listenerName() {
            return Releases.LISTENER;
        }

        @Override
        public void close() {
            // nothing is open
        }

        public void updateEndpoint(int node, RaftConfig.InetAddressSpec address) { //[-3.7]
        } //[-3.7]
    }

    private record Expiration(long at, CompletableFuture<?> future) { }

    private final class Expirations implements ExpirationService {
        @Override
        public <T> CompletableFuture<T> failAfter(long timeout) {
            CompletableFuture<T> future = new CompletableFuture<>();
            if (timeout < Integer.MAX_VALUE) {
                expirations.add(new Expiration(clock.now + timeout, future));
            }
            return future;
        }
    }

    /** Buffers of a size that records of a run need, whatever size Kafka asks for. */
    private static final class Pool implements MemoryPool {
        private static final int SIZE = 16 * 1024;
        private final ArrayDeque<java.nio.ByteBuffer> free = new ArrayDeque<>();

        @Override
        public java.nio.ByteBuffer tryAllocate(int size) {
            java.nio.ByteBuffer found = free.poll();
            return found == null ? java.nio.ByteBuffer.allocate(SIZE) : found;
        }

        @Override
        public void release(java.nio.ByteBuffer buffer) {
            buffer.clear();
            free.push(buffer);
        }

        @Override
        public long size() {
            return Long.MAX_VALUE;
        }

        @Override
        public long availableMemory() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean isOutOfMemory() {
            return false;
        }
    }
}
