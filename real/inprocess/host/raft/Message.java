package org.apache.kafka.raft;

import java.util.concurrent.CompletableFuture;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request that is on its way from one node to another, or the answer to one; `incarnation` is that of who asked, and
 * `number` says which request of its world it is.
 */
record Message(int from, int to, boolean answer, ApiMessage data, RaftRequest.Outbound request,
               CompletableFuture<RaftResponse.Inbound> completion, int incarnation, int number) {
    Message answeredWith(ApiMessage response) {
        return new Message(to, from, true, response, request, completion, incarnation, number);
    }

    int asker() {
        return answer ? to : from;
    }

    short api() {
        return request.data().apiKey();
    }

    boolean is(int[] step) {
        return from == step[1] && to == step[2] && api() == step[3] && answer == (step[4] == 1);
    }

    String name() {
        return ApiKeys.forId(api()).name + (answer ? " answer" : "");
    }
}
