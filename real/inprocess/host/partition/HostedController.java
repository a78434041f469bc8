package org.apache.kafka.controller;

import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.EligibleLeaderReplicasVersion; //[4.0-]
import org.apache.kafka.server.common.MetadataVersion;

import tidegate.Clock;

/**
 * A controller with one partition: Kafka's own parts of it, its log, and its clock. What a request gives is replayed into
 * the same objects, as QuorumController does.
 */
final class HostedController {
    static final String TOPIC = "t";
    private static final int LONGEST_STOP = 5;

    final ControllerSettings settings;
    final Clock clock = new Clock();
    final List<ApiMessageAndVersion> log = new ArrayList<>();
    Managers managers;
    private final Map<Integer, List<Long>> epochs = new HashMap<>();
    /** Each partition epoch that there was, and the leader epoch in it. */
    private final List<int[]> changes = new ArrayList<>();
    final PartitionJudge judge = new PartitionJudge();
    boolean hasEnded = false;
    private Call now = null;
    private boolean isUncleanWanted;
    private int lives = 0;
    private Uuid topicId;

    HostedController(ControllerSettings settings) {
        this.settings = settings;
        managers = new Managers(settings, clock);
        write(new FeatureLevelRecord().setName(MetadataVersion.FEATURE_NAME).setFeatureLevel(managers.metadataVersion()));
        if (settings.elr) { //[4.0-]
            write(new FeatureLevelRecord().setName(EligibleLeaderReplicasVersion.FEATURE_NAME).setFeatureLevel((short) 1)); //[4.0-]
        } //[4.0-]
        managers.cluster.activate();
        for (int broker = 1; broker <= settings.brokers; broker++) {
            int[] call = new int[2 + settings.directories];
            call[0] = broker;
            for (int i = 1; i <= settings.directories; i++) {
                call[1 + i] = i;
            }
            succeed(register(call));
            succeed(heartbeat(new int[] {broker, 0, 0}));
        }
        if (settings.level != ControllerSettings.Level.TOPIC) {
            setUp();
        }
        create();
        if (settings.level == ControllerSettings.Level.TOPIC) {
            setUp();
        }
        if (settings.directories > 1) {
            for (int broker : settings.replicas) {
                succeed(assign(broker, 1));
            }
        }
    }

    private static void succeed(String error) {
        if (!error.equals("NONE")) {
            throw new IllegalStateException("the controller cannot be set up: " + error);
        }
    }

    private void setUp() {
        int level = settings.level.ordinal();
        succeed(configure(level, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, String.valueOf(settings.minIsr)));
        succeed(configure(level, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, String.valueOf(settings.unclean)));
        isUncleanWanted = settings.unclean;
    }

    private void create() {
        var topic = new CreateTopicsRequestData.CreatableTopic().setName(TOPIC).setNumPartitions(-1).setReplicationFactor((short) -1);
        topic.assignments().add(new CreateTopicsRequestData.CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(settings.replicas));
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        Set<String> described = Set.of();
        var result = managers.replication.createTopics(context(), request, described); //[-4.2]
        var result = managers.replication.createTopics(context(), request, described, false); //[4.3-]
        commit(result.records());
        var created = result.response().topics().find(TOPIC);
        succeed(Errors.forCode(created.errorCode()).name());
        topicId = created.topicId();
        changes.add(new int[] {0, 0});
    }

    // --- what is seen -------------------------------------------------------------------------------------------------

    PartitionRegistration partition() {
        return managers.replication.getPartition(topicId, 0);
    }

    BrokerRegistration broker(int broker) {
        return managers.cluster.brokerRegistrations().get(broker);
    }

    long epochOf(int broker) {
        BrokerRegistration registration = broker(broker);
        return registration == null ? -1 : registration.epoch();
    }

    boolean mayLead(int broker) {
        return managers.cluster.isActive(broker)
            && managers.cluster.hasOnlineDir(broker, partition().directory(broker));
    }

    int minIsr() {
        return managers.replication.getTopicEffectiveMinIsr(TOPIC);
    }

    boolean isUnclean() {
        return managers.configurations.uncleanLeaderElectionEnabledForTopic(TOPIC);
    }

    static Uuid directory(int broker, int number) {
        return new Uuid(1_000 + broker, 1_000 + number);
    }

    /** The number of a directory of a broker; -1 where it is one that Kafka reserves. */
    static int number(Uuid directory) {
        return directory.getMostSignificantBits() >= 1_000 ? (int) directory.getLeastSignificantBits() - 1_000 : -1;
    }

    /** Takes a step, and looks whether what must hold does; what Kafka takes for impossible is a finding, and the end. */
    String judged(Call call, int[] numbers) {
        if (hasEnded) {
            return "NONE";
        }
        String error = "NONE";
        String seen = call == Call.FAIL_OVER ? partition().toString() : "";
        now = call;
        try {
            error = take(call, numbers);
            judge.look(this);
            if (call == Call.LOOK) {
                judge.rest(this);
            }
            if (call == Call.FAIL_OVER && !seen.equals(partition().toString())) {
                judge.note("replay_is_the_same", "another controller has " + partition() + " in place of " + seen, null);
            }
        } catch (RuntimeException thrown) {
            judge.note("no_exception", String.valueOf(thrown), thrown);
            hasEnded = true;
        }
        now = null;
        return error;
    }

    /** Whether unclean elections are allowed, whether or not the release heeds it. */
    boolean wantsUnclean() {
        return isUnclean() || isUncleanWanted;
    }

    // --- what is done -------------------------------------------------------------------------------------------------

    /** Takes a step; the name of Kafka's error, or NONE. What Kafka takes for impossible is thrown. */
    String take(Call call, int[] numbers) {
        return switch (call) {
            case REGISTER -> register(numbers);
            case HEARTBEAT -> heartbeat(numbers);
            case STOP -> stop(numbers[0]);
            case SILENCE -> silence(numbers[0]);
            case FENCE -> fence();
            case ALTER_ISR -> alterIsr(numbers);
            case ELECT -> elect((byte) numbers[0]);
            case BALANCE -> answer(managers.replication::maybeBalancePartitionLeaders);
            case ELECT_UNCLEANLY -> electUncleanly();
            case REASSIGN -> reassign(Arrays.stream(numbers).boxed().toList());
            case CANCEL -> reassign(null);
            case ASSIGN -> assign(numbers[0], numbers[1]);
            case SET_MIN_ISR -> configure(numbers[0], TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, String.valueOf(numbers[1]));
            case SET_UNCLEAN ->
                setUnclean(numbers[0], TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, String.valueOf(numbers[1] == 1));
            case UNREGISTER -> answer(() -> managers.replication.unregisterBroker(numbers[0]));
            case FAIL_OVER -> failOver();
            case LOOK -> "NONE";
        };
    }

    private interface Answer<T> {
        ControllerResult<T> take();
    }

    private <T> String answer(Answer<T> call) {
        return answer(call, response -> Errors.NONE);
    }

    /** Calls Kafka's code, and has its records written; the error that it answers, of a request or of a partition in it. */
    private <T> String answer(Answer<T> call, Function<T, Errors> error) {
        ControllerResult<T> result;
        try {
            result = call.take();
        } catch (UnknownServerException thrown) {
            throw thrown;
        } catch (ApiException thrown) {
            return Errors.forException(thrown).name();
        }
        commit(result.records());
        return error.apply(result.response()).name();
    }

    private void write(ApiMessage record) {
        commit(List.of(new ApiMessageAndVersion(record, (short) 0)));
    }

    private void commit(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion record : records) {
            PartitionRegistration before = topicId == null ? null : partition();
            log.add(record);
            managers.replay(record.message(), log.size() - 1);
            note(record.message());
            if (now != null && before != null && before != partition()
                && before.partitionEpoch != partition().partitionEpoch) {
                judge.changed(this, now, before, partition());
            }
        }
    }

    private void note(ApiMessage record) {
        if (record instanceof RegisterBrokerRecord one) {
            epochs.computeIfAbsent(one.brokerId(), broker -> new ArrayList<>()).add(one.brokerEpoch());
        }
        PartitionRegistration partition = topicId == null ? null : partition();
        if (partition != null && (changes.isEmpty() || earlier(changes, 0)[0] != partition.partitionEpoch)) {
            changes.add(new int[] {partition.partitionEpoch, partition.leaderEpoch});
        }
    }

    private String register(int[] numbers) {
        int broker = numbers[0];
        BrokerRegistrationRequestData request = new BrokerRegistrationRequestData().
            setBrokerId(broker).
            setClusterId(Managers.CLUSTER).
            setIncarnationId(new Uuid(7_777, ++lives)).
            setPreviousBrokerEpoch(numbers[1] == 1 ? epochOf(broker) : -1). //[3.7-]
            setLogDirs(Arrays.stream(numbers).skip(2).mapToObj(number -> directory(broker, number)).toList());
        request.listeners().add(new BrokerRegistrationRequestData.Listener().
            setName("PLAINTEXT").setHost("localhost").setPort(9_000 + broker).setSecurityProtocol((short) 0));
        QuorumFeatures.defaultFeatureMap(false).forEach((name, range) -> //[-3.9]
        QuorumFeatures.defaultSupportedFeatureMap(false).forEach((name, range) -> //[4.0-]
            request.features().add(new BrokerRegistrationRequestData.Feature().
                setName(name).setMinSupportedVersion(range.min()).setMaxSupportedVersion(range.max())));
        FinalizedControllerFeatures finalized =
            new FinalizedControllerFeatures(managers.features.finalizedFeatures(Long.MAX_VALUE).featureMap(), Long.MAX_VALUE);
        return answer(() -> managers.cluster.registerBroker(request, log.size(), finalized, (short) 4)); //[-3.7]
        return answer(() -> managers.cluster.registerBroker(request, log.size(), finalized)); //[3.8-3.9]
        return answer(() -> managers.cluster.registerBroker(request, log.size(), finalized, true)); //[4.0-]
    }

    private BrokerHeartbeatRequestData heartbeatOf(int broker) {
        return new BrokerHeartbeatRequestData().
            setBrokerId(broker).setBrokerEpoch(epochOf(broker)).setCurrentMetadataOffset(log.size() - 1);
    }

    private String heartbeat(int[] numbers) {
        int broker = numbers[0];
        BrokerHeartbeatRequestData request = heartbeatOf(broker).
            setWantFence(numbers[1] == 1).
            setWantShutDown(numbers[2] == 1).
            setOfflineLogDirs(Arrays.stream(numbers).skip(3).mapToObj(number -> directory(broker, number)).toList());
        OptionalLong registered = managers.cluster.registerBrokerRecordOffset(broker);
        if (registered.isEmpty()) {
            return Errors.STALE_BROKER_EPOCH.name();
        }
        managers.cluster.trackBrokerHeartbeat(broker, request.brokerEpoch()); //[4.0-]
        BrokerHeartbeatReply[] reply = new BrokerHeartbeatReply[1];
        String error = answer(() -> managers.replication.processBrokerHeartbeat(request, registered.getAsLong()), response -> {
            reply[0] = response;
            return Errors.NONE;
        });
        if (reply[0] != null && reply[0].inControlledShutdown()) {
            managers.cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(broker, log.size() - 1);
        }
        return error;
    }

    /** A broker asks to be shut down until it may, while the others hear of what is written. */
    private String stop(int broker) {
        for (int most = 0; most < LONGEST_STOP; most++) {
            String error = heartbeat(new int[] {broker, 0, 1});
            if (!error.equals("NONE") || broker(broker).fenced()) {
                return error;
            }
            hearOthers(broker);
        }
        return "NONE";
    }

    private void hearOthers(int broker) {
        for (int other : managers.cluster.brokerRegistrations().keySet()) {
            if (other != broker && !broker(other).fenced()) {
                managers.replication.processExpiredBrokerHeartbeat(heartbeatOf(other));
                managers.cluster.trackBrokerHeartbeat(other, epochOf(other)); //[4.0-]
            }
        }
    }

    /** Time passes until the session of a broker is over, while the others are heard as often as they need be. */
    private String silence(int broker) {
        for (int part = 0; part < 3; part++) {
            clock.now += Managers.SESSION_MS / 2;
            hearOthers(broker);
        }
        return "NONE";
    }

    private String fence() {
        for (int most = 0; most <= settings.brokers; most++) {
            String error = answer(managers.replication::maybeFenceOneStaleBroker);
            if (!error.equals("NONE")) {
                return error;
            }
        }
        return "NONE";
    }

    private String electUncleanly() {
        return answer(managers.replication::maybeElectUncleanLeaders); //[3.9-]
        return "NONE"; //[-3.8]
    }

    private ControllerRequestContext context() {
        return new ControllerRequestContext(new RequestHeaderData().setRequestApiVersion((short) 3), KafkaPrincipal.ANONYMOUS,
            OptionalLong.empty());
    }

    private String alterIsr(int[] numbers) {
        List<AlterPartitionRequestData.BrokerState> isr = new ArrayList<>();
        for (int i = 2; i < numbers.length; i += 2) {
            isr.add(new AlterPartitionRequestData.BrokerState().
                setBrokerId(numbers[i]).setBrokerEpoch(earlier(epochs.get(numbers[i]), numbers[i + 1])));
        }
        int[] known = earlier(changes, numbers[1]);
        AlterPartitionRequestData request = new AlterPartitionRequestData().
            setBrokerId(numbers[0]).setBrokerEpoch(epochOf(numbers[0]));
        request.topics().add(new AlterPartitionRequestData.TopicData().setTopicId(topicId).setPartitions(List.of(
            new AlterPartitionRequestData.PartitionData().setPartitionIndex(0).setLeaderEpoch(known[1]).
                setPartitionEpoch(known[0]).setNewIsrWithEpochs(isr))));
        return answer(() -> managers.replication.alterPartition(context(), request), response ->
            Errors.forCode(response.topics().get(0).partitions().get(0).errorCode()));
    }

    private static <T> T earlier(List<T> all, int ago) {
        return all.get(Math.max(0, all.size() - 1 - ago));
    }

    private String elect(byte kind) {
        ElectLeadersRequestData request = new ElectLeadersRequestData().setElectionType(kind);
        request.topicPartitions().add(new ElectLeadersRequestData.TopicPartitions().setTopic(TOPIC).setPartitions(List.of(0)));
        return answer(() -> managers.replication.electLeaders(request), response ->
            Errors.forCode(response.replicaElectionResults().get(0).partitionResult().get(0).errorCode()));
    }

    private String reassign(List<Integer> target) {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData().setTopics(List.of(
            new AlterPartitionReassignmentsRequestData.ReassignableTopic().setName(TOPIC).setPartitions(List.of(
                new AlterPartitionReassignmentsRequestData.ReassignablePartition().setPartitionIndex(0).setReplicas(target)))));
        return answer(() -> managers.replication.alterPartitionReassignments(request), response ->
            Errors.forCode(response.responses().get(0).partitions().get(0).errorCode()));
    }

    private String assign(int broker, int number) {
        AssignReplicasToDirsRequestData request = new AssignReplicasToDirsRequestData().
            setBrokerId(broker).setBrokerEpoch(epochOf(broker)).
            setDirectories(List.of(new AssignReplicasToDirsRequestData.DirectoryData().
                setId(directory(broker, number)).
                setTopics(List.of(new AssignReplicasToDirsRequestData.TopicData().setTopicId(topicId).
                    setPartitions(List.of(new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(0)))))));
        return answer(() -> managers.replication.handleAssignReplicasToDirs(request), response ->
            Errors.forCode(response.directories().get(0).topics().get(0).partitions().get(0).errorCode()));
    }

    private String configure(int level, String key, String value) {
        ConfigResource resource = level == ControllerSettings.Level.TOPIC.ordinal()
            ? new ConfigResource(ConfigResource.Type.TOPIC, TOPIC)
            : new ConfigResource(ConfigResource.Type.BROKER,
                level == ControllerSettings.Level.DEFAULT.ordinal() ? "" : String.valueOf(Managers.CONTROLLER));
        var changes = Map.of(resource, Map.<String, Map.Entry<OpType, String>>of(key, new SimpleEntry<>(OpType.SET, value)));
        return answer(() -> managers.configurations.incrementalAlterConfigs(changes, false), response -> //[-4.2]
        return answer(() -> managers.configurations.incrementalAlterConfigs(changes, false, false), response -> //[4.3-]
            response.values().stream().map(ApiError::error).filter(error -> error != Errors.NONE).findFirst().orElse(Errors.NONE));
    }

    private String setUnclean(int level, String key, String value) {
        isUncleanWanted = false;  // what counts by then is what the release says itself
        return configure(level, key, value);
    }

    /** Another controller has replayed the same log. Sessions begin anew with it. */
    private String failOver() {
        managers = new Managers(settings, clock);
        for (int offset = 0; offset < log.size(); offset++) {
            managers.replay(log.get(offset).message(), offset);
        }
        managers.cluster.activate();
        return "NONE";
    }
}
