package org.apache.kafka.controller;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord; //[4.0-]
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.FenceBrokerRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnfenceBrokerRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.timeline.SnapshotRegistry;

import tidegate.Clock;

/** The parts of a controller that know of brokers, settings and partitions, and what a record does to them. */
final class Managers {
    static final String CLUSTER = "tidegate";
    static final int CONTROLLER = 100;
    static final int SESSION_MS = 9_000;
    private static final String[] KEYS = {
        TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
    };

    final FeatureControlManager features;
    final ConfigurationControlManager configurations;
    final ClusterControlManager cluster;
    final ReplicationControlManager replication;

    Managers(ControllerSettings settings, Clock clock) {
        LogContext context = new LogContext();
        SnapshotRegistry registry = new SnapshotRegistry(context);
        features = new FeatureControlManager.Builder().
            setLogContext(context).
            setSnapshotRegistry(registry).
            setQuorumFeatures(new QuorumFeatures(CONTROLLER, QuorumFeatures.defaultFeatureMap(false), List.of(CONTROLLER))). //[-3.9]
            setQuorumFeatures(new QuorumFeatures(CONTROLLER, QuorumFeatures.defaultSupportedFeatureMap(false), List.of(CONTROLLER))). //[4.0-]
            build();
        configurations = new ConfigurationControlManager.Builder().
            setLogContext(context).
            setSnapshotRegistry(registry).
            setKafkaConfigSchema(schema()).
            setNodeId(CONTROLLER).
            setFeatureControl(features). //[4.0-]
            build();
        cluster = new ClusterControlManager.Builder().
            setLogContext(context).
            setSnapshotRegistry(registry).
            setClusterId(CLUSTER).
            setTime(clock).
            setSessionTimeoutNs(SESSION_MS * 1_000_000L).
            setReplicaPlacer(new StripedReplicaPlacer(new java.util.Random(1))).
            setFeatureControlManager(features).
            setBrokerUncleanShutdownHandler(this::addRecordsForUncleanShutdown). //[3.9-3.9]
            setBrokerShutdownHandler(this::addRecordsForShutdown). //[4.0-]
            build();
        replication = new ReplicationControlManager.Builder().
            setLogContext(context).
            setSnapshotRegistry(registry).
            setConfigurationControl(configurations).
            setClusterControl(cluster).
            setFeatureControl(features).
            setCreateTopicPolicy(Optional.empty()).
            setEligibleLeaderReplicasEnabled(settings.elr). //[-3.9]
            build();
    }

    private static KafkaConfigSchema schema() {
        ConfigDef topic = new ConfigDef();
        topic.define(KEYS[0], ConfigDef.Type.INT, 1, ConfigDef.Importance.MEDIUM, "");
        topic.define(KEYS[1], ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.MEDIUM, "");
        Map<String, List<ConfigSynonym>> synonyms = new HashMap<>();
        for (String key : KEYS) {
            synonyms.put(key, List.of(new ConfigSynonym(key)));
        }
        return new KafkaConfigSchema(Map.of(ConfigResource.Type.TOPIC, topic, ConfigResource.Type.BROKER, topic), synonyms);
    }

    private void addRecordsForUncleanShutdown(int broker, List<org.apache.kafka.server.common.ApiMessageAndVersion> records) { //[3.9-3.9]
        replication.handleBrokerUncleanShutdown(broker, records); //[3.9-3.9]
    } //[3.9-3.9]

    private void addRecordsForShutdown(int broker, boolean isClean, List<org.apache.kafka.server.common.ApiMessageAndVersion> records) { //[4.0-]
        replication.handleBrokerShutdown(broker, isClean, records); //[4.0-]
    } //[4.0-]

    short metadataVersion() {
        return MetadataVersion.latestProduction().featureLevel();
    }

    /** Does what a record says, as QuorumController does once it has it in its log at an offset. */
    void replay(ApiMessage record, long offset) {
        if (record instanceof RegisterBrokerRecord one) {
            cluster.replay(one, offset);
        } else if (record instanceof UnregisterBrokerRecord one) {
            cluster.replay(one);
        } else if (record instanceof FenceBrokerRecord one) {
            cluster.replay(one);
        } else if (record instanceof UnfenceBrokerRecord one) {
            cluster.replay(one);
        } else if (record instanceof BrokerRegistrationChangeRecord one) {
            cluster.replay(one);
        } else if (record instanceof TopicRecord one) {
            replication.replay(one);
        } else if (record instanceof RemoveTopicRecord one) {
            replication.replay(one);
        } else if (record instanceof PartitionRecord one) {
            replication.replay(one);
        } else if (record instanceof PartitionChangeRecord one) {
            replication.replay(one);
        } else if (record instanceof ConfigRecord one) {
            configurations.replay(one);
        } else if (record instanceof FeatureLevelRecord one) {
            features.replay(one);
        } else if (record instanceof ClearElrRecord one) { //[4.0-]
            replication.replay(one); //[4.0-]
        } else {
            throw new IllegalStateException("a record of a kind that the program does not know: " + record);
        }
    }
}
