package org.apache.kafka.controller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.metadata.PartitionRegistration;

/** Looks at each record of the partition, and at the partition after each call, whether what must hold does. */
final class PartitionJudge {
    private final List<PartitionFinding> found = new ArrayList<>();

    List<PartitionFinding> findings() {
        return found;
    }

    void note(String property, String why, Throwable thrown) {
        PartitionFinding one = new PartitionFinding(property, why, thrown);
        if (found.stream().noneMatch(other -> other.signature().equals(one.signature()))) {
            found.add(one);
        }
    }

    /** A record has changed the partition. */
    void changed(HostedController controller, Call call, PartitionRegistration before, PartitionRegistration after) {
        Set<Integer> isr = set(after.isr);
        if (after.leader >= 0 && !isr.contains(after.leader)) {
            note("leader_in_isr", "broker " + after.leader + " leads, and the ISR is " + isr, null);
        }
        if (set(after.elr).stream().anyMatch(isr::contains)) {
            note("elr_is_apart", "the ISR is " + isr + ", the ELR " + set(after.elr), null);
        }
        if (!set(after.replicas).containsAll(isr) || !set(after.replicas).containsAll(set(after.elr))) {
            note("replicas_hold", "the ISR is " + isr + ", the ELR " + set(after.elr) + ", and the replicas are "
                + set(after.replicas), null);
        }
        epochs(before, after);
        elected(controller, call, before, after);
        boolean isBelow = before.isr.length < controller.minIsr();
        if (call == Call.ASSIGN && isBelow && !set(before.elr).equals(set(after.elr)) && after.leader == before.leader) {
            note("assignment_keeps_elr", "a directory is assigned, and the ELR is " + set(after.elr) + " in place of "
                + set(before.elr), null);
        }
        completed(call, controller.minIsr(), before, after);
    }

    private void epochs(PartitionRegistration before, PartitionRegistration after) {
        if (after.leaderEpoch < before.leaderEpoch || after.partitionEpoch <= before.partitionEpoch) {
            note("epochs_grow", "leader epoch " + before.leaderEpoch + " becomes " + after.leaderEpoch + ", partition epoch "
                + before.partitionEpoch + " becomes " + after.partitionEpoch, null);
        }
        if (after.leader != before.leader && after.leaderEpoch == before.leaderEpoch) {
            note("one_leader", "broker " + before.leader + " and broker " + after.leader + " lead epoch " + after.leaderEpoch, null);
        }
        boolean shrinks = !set(after.isr).containsAll(set(before.isr));
        if (after.leader == before.leader && after.leaderEpoch > before.leaderEpoch && !shrinks
            && Arrays.equals(after.replicas, before.replicas)) {
            note("epochs_have_cause", "leader epoch " + before.leaderEpoch + " becomes " + after.leaderEpoch
                + ", and leader, replicas and ISR are the same", null);
        }
    }

    private void elected(HostedController controller, Call call, PartitionRegistration before, PartitionRegistration after) {
        if (after.leader < 0 || after.leader == before.leader) {
            return;
        }
        boolean isKnown = before.isr.length + after.elr.length == 0 && before.lastKnownElr.length == 1
            && before.lastKnownElr[0] == after.leader;
        boolean joins = call == Call.ALTER_ISR && set(after.isr).contains(after.leader);  // it leads once it has joined
        boolean isClean = joins || set(before.isr).contains(after.leader) || set(before.elr).contains(after.leader);
        if (!isClean && !isKnown && !controller.isUnclean() && call != Call.ELECT) {
            note("elections_are_clean", "broker " + after.leader + " is elected, the ISR was " + set(before.isr)
                + ", the ELR " + set(before.elr), null);
        }
    }

    private void completed(Call call, int minIsr, PartitionRegistration before, PartitionRegistration after) {
        boolean was = before.addingReplicas.length + before.removingReplicas.length > 0;
        boolean is = after.addingReplicas.length + after.removingReplicas.length > 0;
        int least = Math.min(minIsr, Math.min(before.isr.length, after.replicas.length));
        if (was && !is && call != Call.CANCEL && after.isr.length < least) {
            note("reassignment_keeps_min_isr", "the reassignment to " + set(after.replicas) + " is complete with the ISR "
                + set(after.isr) + ", where min.insync.replicas is " + minIsr + " and the ISR was " + set(before.isr), null);
        }
    }

    /** After a call. */
    void look(HostedController controller) {
        PartitionRegistration partition = controller.partition();
        if (partition.leader >= 0 && !controller.managers.cluster.isUnfenced(partition.leader)) {
            note("leader_is_unfenced", "broker " + partition.leader + " leads, and is fenced", null);
        }
        boolean fenced = IntStream.of(partition.isr).anyMatch(broker -> !controller.managers.cluster.isUnfenced(broker));
        if (partition.isr.length > 1 && fenced) {
            note("isr_is_unfenced", "the ISR is " + set(partition.isr) + ", and not all of them are unfenced", null);
        }
    }

    /** Once the controller has done all its own tasks. */
    void rest(HostedController controller) {
        PartitionRegistration partition = controller.partition();
        if (partition.leader >= 0) {
            return;
        }
        Set<Integer> may = set(partition.isr.length > 0 ? partition.isr : partition.elr);
        if (partition.isr.length + partition.elr.length == 0) {
            may = set(partition.lastKnownElr);
        }
        Set<Integer> active = set(partition.replicas);
        active.removeIf(broker -> !controller.mayLead(broker));
        may.retainAll(active);
        if (!may.isEmpty()) {
            note("somebody_leads", "nobody leads, though " + may + " may", null);
        }
        if (controller.wantsUnclean() && !active.isEmpty()) {
            note("unclean_is_heeded", "nobody leads, though unclean elections are allowed and " + active + " is there", null);
        }
    }

    private static Set<Integer> set(int[] numbers) {
        return IntStream.of(numbers).boxed().collect(Collectors.toCollection(java.util.TreeSet::new));
    }
}
