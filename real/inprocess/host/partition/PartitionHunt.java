package org.apache.kafka.controller;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.apache.kafka.metadata.PartitionRegistration;

/** Random schedules of calls, as brokers that stop, start, lose disks and copy records, and an operator, come to make them. */
final class PartitionHunt {
    /** A step of a schedule. */
    record Move(Call call, int[] numbers) { }

    /** A run: its seed, its schedule, and its end. */
    record Run(long seed, List<Move> moves, HostedController controller) { }

    private final ControllerSettings settings;
    private final Random seeds;
    private final int length;
    private final Set<String> known = new HashSet<>();
    private final Set<String> states = new HashSet<>();

    PartitionHunt(ControllerSettings settings, long seed, int length) {
        this.settings = settings;
        this.seeds = new Random(seed);
        this.length = length;
    }

    int states() {
        return states.size();
    }

    /** Those of a run's findings that were not found before. */
    List<PartitionFinding> fresh(Run run) {
        List<PartitionFinding> fresh = new ArrayList<>();
        for (PartitionFinding finding : run.controller().judge.findings()) {
            if (known.add(finding.signature())) {
                fresh.add(finding);
            }
        }
        return fresh;
    }

    Run next() {
        long seed = seeds.nextLong() & Long.MAX_VALUE;
        Brokers brokers = new Brokers(new HostedController(settings), new Random(seed));
        int most = length / 3 + brokers.random.nextInt(length);
        while (brokers.moves.size() < most && !brokers.controller.hasEnded) {
            brokers.move();
            PartitionRegistration seen = brokers.controller.partition();
            states.add(seen.leader + " " + java.util.Arrays.toString(seen.isr) + java.util.Arrays.toString(seen.elr)
                + java.util.Arrays.toString(seen.replicas) + java.util.Arrays.toString(seen.lastKnownElr));
        }
        brokers.rest();
        return new Run(seed, brokers.moves, brokers.controller);
    }

    /** The brokers as they are, apart from what the controller knows of them. */
    private final class Brokers {
        final HostedController controller;
        final Random random;
        final List<Move> moves = new ArrayList<>();
        private final boolean[] isUp;
        private final boolean[] isClean;
        private final int[][] directories;
        private final int[] copy;
        private int made = 10;

        Brokers(HostedController controller, Random random) {
            this.controller = controller;
            this.random = random;
            isUp = new boolean[settings.brokers + 1];
            isClean = new boolean[settings.brokers + 1];
            directories = new int[settings.brokers + 1][];
            copy = new int[settings.brokers + 1];
            for (int broker = 1; broker <= settings.brokers; broker++) {
                isUp[broker] = true;
                directories[broker] = java.util.stream.IntStream.rangeClosed(1, settings.directories).toArray();
                copy[broker] = 1;
            }
        }

        private void call(Call call, int... numbers) {
            moves.add(new Move(call, numbers));
            controller.judged(call, numbers);
        }

        void move() {
            int broker = 1 + random.nextInt(settings.brokers);
            switch (random.nextInt(24)) {
                case 0, 1 -> stop(broker);
                case 2, 3 -> isUp[broker] = isClean[broker] = false;
                case 4, 5 -> {
                    call(Call.SILENCE, broker);
                    call(Call.FENCE);
                }
                case 6, 7, 8, 9 -> start(broker);
                case 10, 11, 12 -> heartbeat(broker);
                case 13 -> loseDisk(broker);
                case 14, 15 -> assign(broker);
                case 16, 17, 18, 19 -> alterIsr();
                case 20 -> call(Call.ELECT, random.nextInt(4) == 0 ? 1 : 0);
                case 21 -> call(random.nextBoolean() ? Call.BALANCE : Call.ELECT_UNCLEANLY);
                case 22 -> reassign();
                default -> operate();
            }
        }

        private void stop(int broker) {
            if (isUp[broker]) {
                call(Call.STOP, broker);
                isUp[broker] = false;
                isClean[broker] = true;
            }
        }

        private void start(int broker) {
            if (isUp[broker]) {
                return;
            }
            int[] numbers = new int[2 + directories[broker].length];
            numbers[0] = broker;
            numbers[1] = isClean[broker] ? 1 : 0;
            System.arraycopy(directories[broker], 0, numbers, 2, directories[broker].length);
            call(Call.SILENCE, broker);
            call(Call.REGISTER, numbers);
            isUp[broker] = true;
            if (random.nextBoolean()) {
                heartbeat(broker);
            }
        }

        private void heartbeat(int broker) {
            if (isUp[broker]) {
                call(Call.HEARTBEAT, broker, 0, 0);
            }
        }

        private void loseDisk(int broker) {
            if (isUp[broker]) {
                return;
            }
            boolean keeps = settings.directories > 1 && random.nextBoolean();
            int left = directories[broker][directories[broker].length - 1];
            for (int place = 0; place < directories[broker].length; place++) {
                directories[broker][place] = ++made;
            }
            if (keeps && left != copy[broker]) {
                directories[broker][0] = left;
            } else {
                isClean[broker] = false;
            }
            copy[broker] = directories[broker][0];
        }

        private void assign(int broker) {
            if (isUp[broker]) {
                if (random.nextInt(3) == 0) {
                    copy[broker] = directories[broker][random.nextInt(directories[broker].length)];
                }
                call(Call.ASSIGN, broker, copy[broker]);
            }
        }

        private void alterIsr() {
            PartitionRegistration seen = controller.partition();
            if (seen.leader < 0 || !isUp[seen.leader]) {
                return;
            }
            List<Integer> numbers = new ArrayList<>(List.of(seen.leader, random.nextInt(8) == 0 ? 1 : 0, seen.leader, 0));
            for (int replica : seen.replicas) {
                boolean is = java.util.stream.IntStream.of(seen.isr).anyMatch(member -> member == replica);
                if (replica != seen.leader && (is ? random.nextInt(4) > 0 : isUp[replica] && random.nextInt(4) > 0)) {
                    numbers.add(replica);
                    numbers.add(random.nextInt(10) == 0 ? 1 : 0);
                }
            }
            call(Call.ALTER_ISR, numbers.stream().mapToInt(Integer::intValue).toArray());
        }

        private void reassign() {
            if (random.nextInt(3) == 0) {
                call(Call.CANCEL);
                return;
            }
            List<Integer> target = new ArrayList<>();
            for (int broker = 1; broker <= settings.brokers; broker++) {
                if (random.nextBoolean()) {
                    target.add(random.nextInt(target.size() + 1), broker);
                }
            }
            if (!target.isEmpty()) {
                call(Call.REASSIGN, target.stream().mapToInt(Integer::intValue).toArray());
            }
        }

        private void operate() {
            switch (random.nextInt(4)) {
                case 0 -> call(Call.SET_MIN_ISR, random.nextInt(2), 1 + random.nextInt(3));
                case 1 -> call(Call.SET_UNCLEAN, random.nextInt(2), random.nextInt(2));
                case 2 -> call(Call.FAIL_OVER);
                default -> heartbeat(1 + random.nextInt(settings.brokers));
            }
        }

        /** The controller does its own tasks. */
        void rest() {
            if (!controller.hasEnded) {
                call(Call.BALANCE);
                call(Call.ELECT_UNCLEANLY);
                call(Call.LOOK);
                call(Call.FAIL_OVER);
            }
        }
    }
}
