package org.apache.kafka.raft;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What comes of a world once nothing is lost any more: all nodes are started, each message takes a few
 * milliseconds, and all clocks go at the same pace. Then some node leads, all others follow it, and what is appended is committed
 * everywhere. Where that does not come about in two minutes of theirs, the property gets_on fails.
 */
final class Recovery {
    private static final long MOST_MS = 120_000;
    private static final int MOST_ROUNDS = 200_000;

    private final World world;
    private final List<Hunt.Move> taken;
    private final SplittableRandom random;
    private boolean appended = false;

    /** `taken` is given the steps that it takes. */
    Recovery(World world, List<Hunt.Move> taken) {
        this.world = world;
        this.taken = taken;
        this.random = new SplittableRandom(world.seed);
    }

    /** Runs it; whether all is well. */
    boolean run() {
        long latest = 0;
        for (int id = 1; id < world.nodes.length; id++) {
            take(Verb.START, new int[] {0, id});
            latest = Math.max(latest, world.nodes[id].clock.now);
        }
        for (int id = 1; id < world.nodes.length && !world.judge.hasEnded(); id++) {
            long behind = latest - world.nodes[id].clock.now;
            pass(world.nodes[id], behind);
        }
        long passed = 0;
        for (int rounds = 0; rounds < MOST_ROUNDS && passed < MOST_MS && !world.judge.hasEnded(); rounds++) {
            HostedNode leader = settledLeader();
            if (leader != null && appended) {
                return true;
            }
            if (leader != null && leader.isActive()) {
                appended = true;
                take(Verb.APPEND, new int[] {0, leader.id, 1});
            } else {
                deliverAll();
                passed += passTime(world.flying.isEmpty() ? Long.MAX_VALUE : 1);
            }
        }
        if (!world.judge.hasEnded()) {
            world.judge.fail("gets_on", world.nodes[1], "all nodes run and all messages arrive, and after "
                + passed / 1000 + " s of theirs " + state(), null);
        }
        return false;
    }

    private void take(Verb verb, int[] step) {
        if (world.take(verb, step)) {
            taken.add(new Hunt.Move(verb, step));
        }
    }

    private void deliverAll() {
        for (Message message : List.copyOf(world.flying)) {
            int answer = message.answer() ? 1 : 0;
            if (random.nextInt(3) > 0) {
                take(Verb.DELIVER, new int[] {0, message.from(), message.to(), message.api(), answer, 0});
            }
        }
    }

    private long passTime(long most) {
        long least = most;
        for (int id = 1; id < world.nodes.length; id++) {
            if (world.nodes[id].isUp()) {
                least = Math.min(least, world.nodes[id].untilDeadline());
            }
        }
        for (int id = 1; id < world.nodes.length && !world.judge.hasEnded(); id++) {
            if (!world.nodes[id].isUp()) {
                take(Verb.START, new int[] {0, id});
            }
            pass(world.nodes[id], least);
        }
        return least;
    }

    private void pass(HostedNode node, long ms) {
        if (node.isUp()) {
            take(Verb.AHEAD, new int[] {0, node.id, (int) ms});
        }
    }

    private HostedNode settledLeader() {
        HostedNode leader = null;
        for (int id = 1; id < world.nodes.length; id++) {
            HostedNode node = world.nodes[id];
            if (!node.isUp()) {
                return null;
            }
            if (node.client.quorum().isLeader()) {
                leader = leader == null ? node : leader.client.quorum().epoch() > node.client.quorum().epoch() ? leader : node;
            }
        }
        if (leader == null) {
            return null;
        }
        for (int id = 1; id < world.nodes.length; id++) {
            if (!isLevel(world.nodes[id], leader)) {
                return null;
            }
        }
        return leader;
    }

    private boolean isLevel(HostedNode node, HostedNode leader) {
        long end = Releases.offset(leader.log.endOffset());
        QuorumState quorum = node.client.quorum();
        return quorum.epoch() == leader.client.quorum().epoch() && quorum.leaderIdOrSentinel() == leader.id
            && Releases.offset(node.log.endOffset()) == end && node.client.highWatermark().orElse(-1) == end;
    }

    private String state() {
        StringBuilder text = new StringBuilder();
        for (int id = 1; id < world.nodes.length; id++) {
            HostedNode node = world.nodes[id];
            text.append(id == 1 ? "" : ", ").append("node ").append(id).append(" is ");
            if (!node.isUp()) {
                text.append("down");
                continue;
            }
            QuorumState quorum = node.client.quorum();
            text.append(Releases.role(quorum)).append(" in epoch ").append(quorum.epoch()).append(" with a log to ")
                .append(Releases.offset(node.log.endOffset())).append(", committed to ")
                .append(node.client.highWatermark().orElse(-1));
        }
        return text.toString();
    }
}
