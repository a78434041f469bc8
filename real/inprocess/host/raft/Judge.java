package org.apache.kafka.raft;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What must hold of what is observed, looked at after each step of a node. With what fails the world ends,
 * but for comes_to_rest, leader_resigns and listener_hears.
 *
 * one_leader: at most one node, in one of its lives, leads an epoch.
 * committed_stays: what a node takes for committed is what any other took for it, at each offset.
 * leader_has_committed: who comes to lead an epoch has all that was committed in those before.
 * applied_is_committed: a controller applies what is committed, each record once and in order.
 * active_has_applied: a controller that is told that it leads has applied all that was committed in epochs before.
 * high_watermark_grows: what a running node takes for committed does not become less.
 * leader_resigns: of voters that do not change, who leads was asked for records by a majority within the last three times
 * that a follower waits for an answer. Kafka gives a leader one and a half of them from one majority to the next.
 * listener_hears: a listener that registers at a follower is told who leads; see {@link HostedNode#register}.
 * no_exception, comes_to_rest: Kafka's code throws nothing, and waits at last; see {@link World#guarded}.
 * gets_on: see {@link Recovery}.
 */
final class Judge {
    private static final int MOST_TIMEOUTS = 3;
    private final Settings settings;
    private final List<Entry> committed = new ArrayList<>();
    /** By offset, the epoch of who first took it for committed: it was committed in this one, or before. */
    private final List<Integer> committedIn = new ArrayList<>();
    private final Map<Integer, Long> leaders = new HashMap<>();
    private final Map<Integer, Lead> asked = new HashMap<>();
    private final Map<Integer, Long> looked = new HashMap<>();
    private final Map<Integer, Integer> changes = new HashMap<>();
    private final List<Finding> found = new ArrayList<>();
    private boolean ended = false;

    /** Since when a node leads an epoch, and when each other one last asked it for records, by its clock. */
    private record Lead(int epoch, long since, Map<Integer, Long> times) { }

    Judge(Settings settings) {
        this.settings = settings;
    }

    /** What failed, each kind once. */
    List<Finding> findings() {
        return found;
    }

    /** Whether something failed after which nothing more can be learned of this world. */
    boolean hasEnded() {
        return ended;
    }

    int committedEnd() {
        return committed.size();
    }

    void fail(String property, HostedNode node, String why, Throwable thrown) {
        if (!ended) {
            found.add(new Finding(property, node.id, why, thrown));
            ended = true;
        }
    }

    /** Notes what fails, and goes on. */
    void note(String property, HostedNode node, String why) {
        Finding one = new Finding(property, node.id, why, null);
        if (found.stream().noneMatch(other -> other.signature().equals(one.signature()))) {
            found.add(one);
        }
    }

    void crashed(HostedNode node) {
        looked.remove(node.id);
        asked.remove(node.id);
        changes.remove(node.id);
    }

    void diskReplaced(HostedNode node) {
        crashed(node);
    }

    /** Looks at a node after a step of it. */
    void look(HostedNode node) {
        if (!node.isUp() || ended) {
            return;
        }
        QuorumState quorum = node.client.quorum();
        long reached = node.client.highWatermark().orElse(-1);
        compare(node, reached);
        if (quorum.isLeader()) {
            leads(node, quorum.epoch());
            isHeard(node, quorum.epoch());
        }
    }

    /** A node is asked for records. */
    void asks(int from, HostedNode node) {
        Lead lead = asked.get(node.id);
        if (lead != null) {
            lead.times().put(from, node.clock.now);
        }
    }

    private void isHeard(HostedNode node, int epoch) {
        if (settings.dynamic || settings.voters == 1) {
            return;
        }
        long now = node.clock.now;
        Lead lead = asked.compute(node.id, (id, known) ->
            known != null && known.epoch() == epoch ? known : new Lead(epoch, now, new HashMap<>()));
        long[] times = lead.times().values().stream().mapToLong(Long::longValue).sorted().toArray();
        int beside = settings.voters / 2;
        long heard = times.length < beside ? lead.since() : Math.max(lead.since(), times[times.length - beside]);
        if (now - heard > (long) MOST_TIMEOUTS * settings.fetchMs) {
            note("leader_resigns", node, "node " + node.id + " leads epoch " + epoch + ", and no majority has asked it for records for "
                + (now - heard) + " ms");
        }
    }

    private void leads(HostedNode node, int epoch) {
        long life = node.id * 1_000_000L + node.incarnation;
        Long known = leaders.putIfAbsent(epoch, life);
        if (known == null) {
            hasAll(node, epoch);
        } else if (known != life) {
            long other = known / 1_000_000L;
            fail("one_leader", node, "node " + node.id + " leads epoch " + epoch + ", which "
                + (other == node.id ? "it led before it was started again" : "node " + other + " leads"), null);
        }
    }

    private void hasAll(HostedNode node, int epoch) {
        for (int offset = (int) node.log.startOffset(); offset < committed.size(); offset++) {
            Entry entry = node.log.entryAt(offset);
            if (committedIn.get(offset) < epoch && !committed.get(offset).equals(entry)) {
                fail("leader_has_committed", node, "node " + node.id + " comes to lead epoch " + epoch + " with "
                    + shown(entry) + " at offset " + offset + ", where " + committed.get(offset) + " is committed", null);
                return;
            }
        }
    }

    private void compare(HostedNode node, long reached) {
        long before = looked.getOrDefault(node.id, -1L);
        if (reached < 0) {
            return;  // it does not know: a new leader's first record is not committed yet
        }
        if (reached < before) {
            fail("high_watermark_grows", node, "node " + node.id + " took all before offset " + before
                + " for committed, and now what is before " + reached, null);
            return;
        }
        looked.put(node.id, reached);
        boolean same = changes.getOrDefault(node.id, -1) == node.log.changes;
        changes.put(node.id, node.log.changes);
        long from = Math.max(node.log.startOffset(), same ? before : 0);
        for (int offset = (int) from; offset < reached && !ended; offset++) {
            commits(node, offset, node.log.entryAt(offset));
        }
    }

    private void commits(HostedNode node, int offset, Entry entry) {
        if (offset < committed.size()) {
            if (!committed.get(offset).equals(entry)) {
                fail("committed_stays", node, "node " + node.id + " takes " + shown(entry) + " at offset " + offset
                    + " for committed, where " + committed.get(offset) + " was", null);
            }
        } else if (offset > committed.size() || entry == null) {
            fail("committed_stays", node, "node " + node.id + " takes offset " + offset
                + " for committed, and has no record there", null);
        } else {
            committed.add(entry);
            committedIn.add(node.client.quorum().epoch());
        }
    }

    /** A controller applies a record. */
    void applied(HostedNode node, long offset, int epoch, int number) {
        HostedNode.Controller controller = node.controller;
        if (offset <= controller.applied) {
            fail("applied_is_committed", node, "node " + node.id + " applies offset " + offset + " after "
                + controller.applied, null);
            return;
        }
        compare(node, node.client.highWatermark().orElse(-1));
        for (int between = (int) controller.applied + 1; between < offset && between < committed.size(); between++) {
            if (committed.get(between).number() > 0) {
                fail("applied_is_committed", node, "node " + node.id + " applies offset " + offset
                    + ", and leaves out " + committed.get(between) + " at offset " + between, null);
            }
        }
        Entry entry = new Entry(epoch, number);
        if (offset >= committed.size() || !committed.get((int) offset).equals(entry)) {
            fail("applied_is_committed", node, "node " + node.id + " applies " + entry + " at offset " + offset + ", where "
                + (offset < committed.size() ? committed.get((int) offset) + " is committed" : "nothing is"), null);
        }
        controller.applied = offset;
    }

    /** A controller begins from a snapshot that ends behind an offset, with what so many records come to. */
    void loaded(HostedNode node, long last, long records) {
        long wanted = committed.stream().limit(last + 1).filter(entry -> entry.number() > 0).count();
        if (last >= committed.size() || records != wanted) {
            fail("applied_is_committed", node, "node " + node.id + " loads a snapshot of " + records
                + " records up to offset " + last + ", where " + wanted + " are committed", null);
        }
    }

    /** A controller is told that it leads an epoch. */
    void active(HostedNode node, int epoch) {
        for (int offset = (int) node.controller.applied + 1; offset < committed.size(); offset++) {
            Entry entry = committed.get(offset);
            if (entry.number() > 0 && committedIn.get(offset) < epoch) {
                fail("active_has_applied", node, "the controller of node " + node.id + " is told that it leads epoch "
                    + epoch + " before it has applied " + entry + " at offset " + offset, null);
                return;
            }
        }
    }

    private static String shown(Entry entry) {
        return entry == null ? "nothing" : entry.toString();
    }
}
