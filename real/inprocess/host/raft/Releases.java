package org.apache.kafka.raft;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.AbstractConfig; //[3.9-]
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.server.common.KRaftVersion; //[3.9-]
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RecordsSnapshotWriter; //[3.9-]

/**
 * What differs from one release of Kafka to another. A line that ends in a mark in brackets is in the program for
 * the releases that the mark names, and arguments are given to Kafka's constructors by their types.
 */
final class Releases {
    static final ListenerName LISTENER = new ListenerName("CONTROLLER");
    private static final Map<Class<?>, Constructor<?>> LONGEST = new HashMap<>();

    private Releases() { }

    /** An object of Kafka's, by its longest constructor; each argument is the one given that has the type asked for. */
    static Object made(Class<?> type, Object... given) {
        Constructor<?> constructor = LONGEST.computeIfAbsent(type, Releases::longest);
        try {
            return constructor.newInstance(arguments(constructor.getParameterTypes(), given));
        } catch (InvocationTargetException error) {
            throw unwrapped(error);
        } catch (ReflectiveOperationException error) {
            throw new IncompatibleClassChangeError("no " + type.getName() + " of this release can be made");
        }
    }

    /** Calls a method of Kafka's by its name, in the same way. */
    static Object called(Object of, String name, Object... given) {
        for (Method method : of.getClass().getMethods()) {
            if (method.getName().equals(name)) {
                try {
                    return method.invoke(of, arguments(method.getParameterTypes(), given));
                } catch (InvocationTargetException error) {
                    throw unwrapped(error);
                } catch (IllegalAccessException error) {
                    throw new IncompatibleClassChangeError(of.getClass() + " has no " + name + " that can be called");
                }
            }
        }
        throw new IncompatibleClassChangeError(of.getClass().getName() + " of this release has no " + name);
    }

    private static RuntimeException unwrapped(InvocationTargetException error) {
        if (error.getCause() instanceof Error serious) {
            throw serious;
        }
        return error.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(error.getCause());
    }

    private static Constructor<?> longest(Class<?> type) {
        Constructor<?> found = null;
        for (Constructor<?> one : type.getDeclaredConstructors()) {
            found = found == null || one.getParameterCount() > found.getParameterCount() ? one : found;
        }
        found.setAccessible(true);
        return found;
    }

    private static Object[] arguments(Class<?>[] types, Object[] given) {
        Object[] found = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            Class<?> type = types[i] == int.class ? Integer.class : types[i] == boolean.class ? Boolean.class
                : types[i] == short.class ? Short.class : types[i];
            found[i] = Arrays.stream(given).filter(type::isInstance).findFirst().orElseThrow(
                () -> new IncompatibleClassChangeError("a " + type.getName() + " is asked for, and the host has none"));
        }
        return found;
    }

    // --- nodes ------------------------------------------------------------------------------------------------------

    static InetSocketAddress address(int node) {
        return InetSocketAddress.createUnresolved("node-" + node, 9000 + node);
    }

    static Map<Integer, InetSocketAddress> addresses(int voters) {
        Map<Integer, InetSocketAddress> found = new HashMap<>();
        for (int voter = 1; voter <= voters; voter++) {
            found.put(voter, address(voter));
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    static KafkaRaftClient<Integer> client(HostedNode node, Settings settings, Object... more) {
        List<Object> given = new ArrayList<>(List.of(more));
        given.add(config(settings));
        given.add(new SupportedVersionRange((short) 0, (short) (settings.dynamic ? 1 : 0))); //[3.8-]
        given.add(Endpoints.fromInetSocketAddresses(Map.of(LISTENER, address(node.id)))); //[3.9-]
        List<InetSocketAddress> servers = new ArrayList<>();
        for (int voter = 1; voter <= settings.voters && settings.dynamic; voter++) {
            servers.add(address(voter));
        }
        given.add(servers);
        return (KafkaRaftClient<Integer>) made(KafkaRaftClient.class, given.toArray());
    }

    static void initialize(KafkaRaftClient<Integer> client, Settings settings, MemoryStore store, Object metrics) {
        Object external = null;
        external = (ExternalKRaftMetrics) ignored -> { }; //[4.0-]
        Map<Integer, InetSocketAddress> voters = settings.dynamic ? Map.of() : addresses(settings.voters);
        called(client, "initialize", voters, store, metrics, external);
    }

    private static Object config(Settings settings) {
        Map<Integer, Object> voters = new HashMap<>();
        addresses(settings.voters).forEach((id, at) -> voters.put(id, at));
        voters.replaceAll((id, at) -> new RaftConfig.InetAddressSpec((InetSocketAddress) at)); //[-3.7]
        return new RaftConfig((Map) voters, settings.requestMs, settings.backoffMs, settings.electionMs, 1_000, settings.fetchMs, 0); //[-3.7]
        return new QuorumConfig(settings.requestMs, settings.backoffMs, settings.electionMs, 1_000, settings.fetchMs, 0); //[3.8-3.8]
        Map<String, Object> given = new HashMap<>(); //[3.9-]
        given.put("controller.quorum.election.timeout.ms", settings.electionMs); //[3.9-]
        given.put("controller.quorum.fetch.timeout.ms", settings.fetchMs); //[3.9-]
        given.put("controller.quorum.request.timeout.ms", settings.requestMs); //[3.9-]
        given.put("controller.quorum.retry.backoff.ms", settings.backoffMs); //[3.9-]
        given.put("controller.quorum.append.linger.ms", 0); //[3.9-]
        return new QuorumConfig(new AbstractConfig(QuorumConfig.CONFIG_DEF, given, false)); //[3.9-]
    }

    /** The snapshot that a cluster with voters of KIP-853 begins with: who the voters are. */
    static void bootstrap(MemoryLog log, Settings settings) {
        Map<Integer, VoterSet.VoterNode> voters = new HashMap<>(); //[3.9-]
        for (int voter = 1; voter <= settings.voters; voter++) { //[3.9-]
            voters.put(voter, VoterSet.VoterNode.of(ReplicaKey.of(voter, directory(voter, 0)), //[3.9-]
                Endpoints.fromInetSocketAddresses(Map.of(LISTENER, address(voter))), //[3.9-]
                new SupportedVersionRange((short) 0, (short) 1))); //[3.9-]
        } //[3.9-]
        RecordsSnapshotWriter<Integer> writer = new RecordsSnapshotWriter.Builder() //[3.9-]
            .setKraftVersion(KRaftVersion.KRAFT_VERSION_1) //[3.9-]
            .setVoterSet(java.util.Optional.of(VoterSet.fromMap(voters))) //[3.9-]
            .setRawSnapshotWriter(log.createNewSnapshotUnchecked(new OffsetAndEpoch(0, 0)).orElseThrow()) //[3.9-]
            .build(new Numbers()); //[3.9-]
        writer.freeze(); //[3.9-]
    }

    static Uuid directory(int node, int disk) {
        return new Uuid(node, 1 + disk);
    }

    // --- messages ---------------------------------------------------------------------------------------------------

    static RaftRequest.Inbound inbound(int correlation, ApiMessage data, long now) {
        short version = ApiKeys.forId(data.apiKey()).latestVersion();
        return new RaftRequest.Inbound(LISTENER, correlation, version, data, now); //[3.9-]
        return new RaftRequest.Inbound(correlation, data, now); //[-3.8]
    }

    static RaftResponse.Inbound answer(RaftRequest.Outbound request, ApiMessage data) {
        return new RaftResponse.Inbound(request.correlationId(), data, request.destination()); //[3.8-]
        return new RaftResponse.Inbound(request.correlationId(), data, request.destinationId()); //[-3.7]
    }

    static int destination(RaftRequest.Outbound request) {
        return request.destination().port() - 9000; //[3.8-]
        return request.destinationId(); //[-3.7]
    }

    // --- what is seen -----------------------------------------------------------------------------------------------

    static String role(QuorumState quorum) {
        if (quorum.isLeader()) {
            return "Leader";
        }
        if (quorum.isFollower()) {
            return "Follower";
        }
        if (quorum.isCandidate()) {
            return "Candidate";
        }
        if (quorum.isProspective()) { //[4.0-]
            return "Prospective"; //[4.0-]
        } //[4.0-]
        if (quorum.isVoted()) { //[-3.8]
            return "Voted"; //[-3.8]
        } //[-3.8]
        return quorum.isResigned() ? "Resigned" : "Unattached";
    }

    static int votedFor(ElectionState election) {
        return election.hasVoted() ? election.votedKey().id() : -1; //[3.8-]
        return election.hasVoted() ? election.votedId() : -1; //[-3.7]
    }

    static int epoch(ElectionState election) {
        return election.epoch(); //[3.8-]
        return election.epoch; //[-3.7]
    }

    static int leader(ElectionState election) {
        return election.leaderIdOrSentinel();
    }

    static ElectionState unknownLeader(int epoch) {
        return ElectionState.withUnknownLeader(epoch, Set.of());
    }

    static long offset(LogOffsetMetadata offset) {
        return offset.offset(); //[3.9-]
        return offset.offset; //[-3.8]
    }

    static void append(KafkaRaftClient<Integer> client, int epoch, List<Integer> records) {
        prepare(client, epoch, records);
        schedule(client);
        client.scheduleAppend(epoch, records); //[-3.8]
    }

    /** The first half of an append: nothing, before Kafka 3.9, which has no such halves. */
    static void prepare(KafkaRaftClient<Integer> client, int epoch, List<Integer> records) {
        client.prepareAppend(epoch, records); //[3.9-]
    }

    static void schedule(KafkaRaftClient<Integer> client) {
        client.schedulePreparedAppend(); //[3.9-]
    }
}
