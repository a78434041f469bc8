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
