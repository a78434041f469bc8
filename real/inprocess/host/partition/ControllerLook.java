package org.apache.kafka.controller;

import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;

/** What is seen of a controller: its partition, and the brokers that it knows. */
final class ControllerLook {
    private ControllerLook() { }

    static void add(ObjectNode into, HostedController controller) {
        PartitionRegistration partition = controller.partition();
        into.put("leader", partition.leader).put("leader_epoch", partition.leaderEpoch);
        into.put("partition_epoch", partition.partitionEpoch);
        into.put("recovering", partition.leaderRecoveryState.value() == 1);
        numbers(into.putArray("isr"), partition.isr);
        numbers(into.putArray("elr"), partition.elr);
        numbers(into.putArray("last_known"), partition.lastKnownElr);
        numbers(into.putArray("replicas"), partition.replicas);
        numbers(into.putArray("adding"), partition.addingReplicas);
        numbers(into.putArray("removing"), partition.removingReplicas);
        ArrayNode directories = into.putArray("directories");
        for (Uuid directory : partition.directories) {
            directories.add(HostedController.number(directory));
        }
        into.put("min_isr", controller.minIsr()).put("unclean", controller.isUnclean());
        ArrayNode brokers = into.putArray("brokers");
        for (int broker = 1; broker <= controller.settings.brokers; broker++) {
            add(brokers.addObject(), controller, broker);
        }
        if (!controller.settings.defect.isEmpty() && partition.partitionEpoch > 1) {
            plant(controller.settings.defect, into);
        }
    }

    /** A defect on purpose: what is said of one field is not so. */
    private static void plant(String field, ObjectNode into) {
        switch (field) {
            case "leader" -> into.put("leader", -1);
            case "leader_epoch" -> into.put("leader_epoch", into.get("leader_epoch").asInt() + 1);
            case "isr", "replicas" -> {
                ArrayNode members = (ArrayNode) into.get(field);
                members.remove(members.size() - 1);
            }
            case "elr", "adding", "removing" -> into.putArray(field);
            case "last_known_leader" -> into.putArray("last_known");
            case "fenced_brokers" -> into.get("brokers").forEach(broker -> ((ObjectNode) broker).put("fenced", false));
            case "unknown_directories" -> into.get("brokers").forEach(broker -> ((ObjectNode) broker).put("has_directory", true));
            default -> throw new IllegalArgumentException("no such defect: " + field);
        }
    }

    private static void add(ObjectNode into, HostedController controller, int broker) {
        BrokerRegistration registration = controller.broker(broker);
        into.put("registered", registration != null);
        if (registration == null) {
            return;
        }
        into.put("epoch", registration.epoch()).put("fenced", registration.fenced());
        into.put("stopping", registration.inControlledShutdown());
        boolean holds = IntStream.of(controller.partition().replicas).anyMatch(replica -> replica == broker);
        into.put("has_directory", holds
            && controller.managers.cluster.hasOnlineDir(broker, controller.partition().directory(broker)));
        ArrayNode directories = into.putArray("directories");
        for (Uuid directory : registration.directories()) {
            directories.add(HostedController.number(directory));
        }
    }

    private static void numbers(ArrayNode into, int[] numbers) {
        for (int number : numbers) {
            into.add(number);
        }
    }
}
