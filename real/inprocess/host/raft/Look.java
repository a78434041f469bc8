package org.apache.kafka.raft;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is seen of all nodes, as an array of JSON, by node. */
final class Look {
    private Look() { }

    static void add(ArrayNode into, World world) {
        for (int id = 1; id < world.nodes.length; id++) {
            add(into.addObject(), world.nodes[id]);
        }
    }

    private static void add(ObjectNode into, HostedNode node) {
        long start = node.log.startOffset();
        long end = Releases.offset(node.log.endOffset());
        into.put("up", node.isUp()).put("incarnation", node.incarnation).put("now", node.clock.now);
        into.put("start", start).put("end", end).put("flushed", node.log.flushedEnd());
        ArrayNode log = into.putArray("log");
        for (long offset = start; offset < end; offset++) {
            Entry entry = node.log.entryAt(offset);
            log.addArray().add(entry.epoch()).add(entry.number());
        }
        ElectionState stored = node.store.latest();
        into.put("stored_epoch", stored == null ? -1 : Releases.epoch(stored));
        into.put("leader", stored == null ? -1 : Releases.leader(stored));
        into.put("voted", stored == null ? -1 : Releases.votedFor(stored));
        if (!node.isUp()) {
            return;
        }
        QuorumState quorum = node.client.quorum();
        into.put("role", Releases.role(quorum)).put("epoch", quorum.epoch());
        into.put("high_watermark", node.client.highWatermark().orElse(-1));
        into.put("applied", node.controller.applied).put("active", node.isActive());
        into.put("deadline", node.untilDeadline());
    }

    static void addFlying(ArrayNode into, World world) {
        for (Message message : world.flying) {
            into.addArray().add(message.from()).add(message.to()).add(message.api()).add(message.answer() ? 1 : 0)
                .add(message.name()).add(message.number());
        }
    }
}
