package org.apache.kafka.raft;

import com.fasterxml.jackson.databind.JsonNode;

/** What a world is made of: how many voters and observers, Kafka's timeouts in ms, and a defect of the host's own. */
final class Settings {
    final int voters;
    final int observers;
    final boolean dynamic;
    final int batchesARead;
    final int electionMs;
    final int fetchMs;
    final int requestMs;
    final int backoffMs;
    final String defect;

    Settings(JsonNode given) {
        voters = given.path("voters").asInt(3);
        observers = given.path("observers").asInt(0);
        dynamic = given.path("dynamic").asBoolean(false);
        batchesARead = given.path("batches_a_read").asInt(Integer.MAX_VALUE);
        electionMs = given.path("election_ms").asInt(1_000);
        fetchMs = given.path("fetch_ms").asInt(2_000);
        requestMs = given.path("request_ms").asInt(2_000);
        backoffMs = given.path("backoff_ms").asInt(20);
        defect = given.path("defect").asText("");
    }

    int nodes() {
        return voters + observers;
    }
}
