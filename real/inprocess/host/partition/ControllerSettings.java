package org.apache.kafka.controller;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;

/** What is hosted: which brokers there are, who of them has a copy, what is set, and a defect that is planted. */
final class ControllerSettings {
    final int brokers;
    /** Who has a copy, in the order of assignment. */
    final List<Integer> replicas = new ArrayList<>();
    /** How many directories each broker begins with. */
    final int directories;
    final int minIsr;
    final boolean unclean;
    final boolean elr;
    /** Where the two are set: for the topic, for all brokers, or for the controller's node. */
    final Level level;
    final String defect;

    enum Level { TOPIC, DEFAULT, BROKER }

    ControllerSettings(JsonNode from) {
        brokers = from.path("brokers").asInt();
        from.path("replicas").forEach(replica -> replicas.add(replica.asInt()));
        directories = from.path("directories").asInt();
        minIsr = from.path("min_isr").asInt();
        unclean = from.path("unclean").asBoolean();
        elr = from.path("elr").asBoolean();
        level = Level.valueOf(from.path("level").asText());
        defect = from.path("defect").asText();
    }
}
