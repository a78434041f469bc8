package org.apache.kafka.raft;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random schedules of one seed, one after the other. Each draws how likely each kind of step is, and now and then which
 * links are slow or cut. What leads to a state that was not seen before is kept, and other schedules begin with it.
 */
final class Hunt {
    private static final int MOST_STATES = 1_000_000;
    private static final int MOST_KEPT = 500;
    private static final int NEW_ENOUGH = 3;

    /** A schedule that found something new, up to where it did, and the seed of its world. */
    private record Kept(long seed, List<Move> moves) { }

    record Move(Verb verb, int[] step) { }

    /** What came of one run. */
    record Run(long seed, World world, List<Move> moves) { }

    private final Settings settings;
    private final long seed;
    private final int length;
    private final List<Kept> corpus = new ArrayList<>();
    private final Set<Long> states = new HashSet<>();
    private final Set<String> known = new HashSet<>();
    private int number = 0;
    private int last = 0;
    private SplittableRandom random;
    private int[] weights;
    private int[] links;

    Hunt(Settings settings, long seed, int length) {
        this.settings = settings;
        this.seed = seed;
        this.length = length;
    }

    int states() {
        return states.size();
    }

    /** What failed in a run, and in none before it. */
    List<Finding> fresh(Run run) {
        return run.world().judge.findings().stream().filter(finding -> known.add(finding.signature())).toList();
    }

    /** The next run, to its end or to where a property fails. */
    Run next() {
        random = new SplittableRandom(seed * 1_000_003 + number++);
        last = 0;
        Kept before = !corpus.isEmpty() && random.nextInt(10) < 4 ? corpus.get(random.nextInt(corpus.size())) : null;
        long worldSeed = before == null ? random.nextInt(1 << 30) : before.seed();
        World world = new World(settings, worldSeed);
        List<Move> moves = new ArrayList<>();
        if (before != null) {
            for (Move move : before.moves()) {
                take(world, moves, move);
            }
        }
        weights = drawWeights();
        links = drawLinks();
        int fresh = 0;
        int until = moves.size() + Math.max(1, length >> random.nextInt(5));
        while (moves.size() < until && !world.judge.hasEnded()) {
            if (random.nextInt(60) == 0) {
                links = drawLinks();
            }
            Move move = draw(world);
            take(world, moves, move);
            follow(world, moves, move);
            if (states.size() < MOST_STATES && states.add(digest(world)) && ++fresh == NEW_ENOUGH) {
                keep(worldSeed, moves);
            }
        }
        if (!world.judge.hasEnded() && random.nextInt(4) == 0) {
            List<Move> recovering = new ArrayList<>();
            new Recovery(world, recovering).run();
            if (world.judge.findings().stream().noneMatch(finding -> finding.property().equals("gets_on"))) {
                moves.addAll(recovering);
            }
        }
        return new Run(worldSeed, world, moves);
    }

    /** What often comes with a step: who crashed is started again, and two time out at once. */
    private void follow(World world, List<Move> moves, Move move) {
        if (move.verb() == Verb.CRASH && random.nextBoolean()) {
            take(world, moves, new Move(Verb.START, new int[] {0, move.step()[1]}));
        } else if (move.verb() == Verb.TICK && random.nextInt(3) == 0) {
            take(world, moves, new Move(Verb.TICK, new int[] {0, node()}));
        }
    }

    private void take(World world, List<Move> moves, Move move) {
        if (world.take(move.verb(), move.step())) {
            moves.add(move);
            last = move.verb() == Verb.DELIVER ? move.step()[2] : last;
        }
    }

    private void keep(long worldSeed, List<Move> moves) {
        Kept kept = new Kept(worldSeed, List.copyOf(moves));
        if (corpus.size() < MOST_KEPT) {
            corpus.add(kept);
        } else {
            corpus.set(random.nextInt(MOST_KEPT), kept);
        }
    }

    // --- what is drawn ----------------------------------------------------------------------------------------------

    private static final Verb[] DRAWN = {Verb.DELIVER, Verb.LOSE, Verb.CUT, Verb.TICK, Verb.APPEND, Verb.CRASH, Verb.START,
        Verb.RESIGN, Verb.STOP, Verb.SNAPSHOT, Verb.CLEAN, Verb.AHEAD, Verb.REGISTER, Verb.ADD_VOTER, Verb.REMOVE_VOTER};
    private static final int[] USUALLY = {400, 8, 8, 60, 20, 8, 20, 2, 1, 3, 3, 4, 1, 4, 4};

    private static final int[] ALWAYS = {1, 4, 4, 8};
    private static final int[] SOMETIMES = {0, 4, 4, 16, 40};

    private int[] drawWeights() {
        int[] found = USUALLY.clone();
        for (int i = 0; i < found.length; i++) {
            boolean may = settings.dynamic || (DRAWN[i] != Verb.ADD_VOTER && DRAWN[i] != Verb.REMOVE_VOTER);
            int[] factors = DRAWN[i] == Verb.DELIVER || DRAWN[i] == Verb.START ? ALWAYS : SOMETIMES;
            found[i] = may ? found[i] * factors[random.nextInt(factors.length)] / 4 : 0;
        }
        return found;
    }

    private int[] drawLinks() {
        int count = settings.nodes() + 1;
        int[] found = new int[count * count];
        boolean calm = random.nextInt(3) == 0;
        for (int i = 0; i < found.length; i++) {
            int drawn = random.nextInt(10);
            found[i] = calm || drawn > 3 ? 100 : drawn == 0 ? 0 : 5;
        }
        return found;
    }

    private Move draw(World world) {
        int total = 0;
        for (int weight : weights) {
            total += weight;
        }
        int at = random.nextInt(total);
        for (int i = 0; i < weights.length; i++) {
            at -= weights[i];
            if (at < 0) {
                Move move = drawn(world, DRAWN[i]);
                return move == null ? new Move(Verb.TICK, new int[] {0, node()}) : move;
            }
        }
        throw new IllegalStateException("weights changed while one was drawn");
    }

    private Move drawn(World world, Verb verb) {
        if (verb.isOfMessage()) {
            return ofMessage(world, verb);
        }
        int[] step = switch (verb) {
            case AHEAD -> new int[] {0, node(), 1 + random.nextInt(settings.fetchMs)};
            case APPEND -> new int[] {0, leader(world), 1 + random.nextInt(3)};
            case RESIGN -> new int[] {0, leader(world)};
            case CRASH -> crash(world);
            case ADD_VOTER, REMOVE_VOTER -> new int[] {0, leader(world), node()};
            default -> new int[] {0, node()};
        };
        return new Move(verb, step);
    }

    /** A node crashes; often the one that a message has come to last, which may just have written to its disk. */
    private int[] crash(World world) {
        HostedNode node = world.nodes[last > 0 && random.nextBoolean() ? last : node()];
        int flushed = (int) node.log.flushedEnd();
        int behind = (int) Releases.offset(node.log.endOffset()) - flushed;
        return new int[] {0, node.id, flushed + (behind > 0 ? random.nextInt(behind + 1) : 0)};
    }

    private int node() {
        return 1 + random.nextInt(settings.nodes());
    }

    private int leader(World world) {
        int first = node();
        for (int i = 0; i < settings.nodes(); i++) {
            int id = 1 + (first + i) % settings.nodes();
            if (world.nodes[id].isActive()) {
                return id;
            }
        }
        return first;
    }

    private Move ofMessage(World world, Verb verb) {
        for (int tries = 0; tries < 8 && !world.flying.isEmpty(); tries++) {
            int at = random.nextInt(world.flying.size());
            Message message = world.flying.get(at);
            if (random.nextInt(100) < links[message.from() * (settings.nodes() + 1) + message.to()]) {
                int which = 0;
                int[] step = {0, message.from(), message.to(), message.api(), message.answer() ? 1 : 0, 0};
                for (int i = 0; i < at; i++) {
                    which += world.flying.get(i).is(step) ? 1 : 0;
                }
                step[5] = which;
                return new Move(verb, step);
            }
        }
        return null;
    }

    // --- what is new ------------------------------------------------------------------------------------------------

    private static long digest(World world) {
        long epochs = Long.MAX_VALUE;
        long ends = Long.MAX_VALUE;
        for (int id = 1; id < world.nodes.length; id++) {
            HostedNode node = world.nodes[id];
            ends = Math.min(ends, Releases.offset(node.log.endOffset()));
            epochs = node.isUp() ? Math.min(epochs, node.client.quorum().epoch()) : epochs;
        }
        long found = 17;
        for (int id = 1; id < world.nodes.length; id++) {
            found = found * 1_000_003 + digest(world.nodes[id], epochs, ends);
        }
        return found * 31 + Math.min(6, world.flying.size());
    }

    private static long digest(HostedNode node, long epochs, long ends) {
        long end = Math.min(8, Releases.offset(node.log.endOffset()) - ends);
        ElectionState stored = node.store.latest();
        int voted = stored == null ? -1 : Releases.votedFor(stored);
        if (!node.isUp()) {
            return end * 7 + voted;
        }
        QuorumState quorum = node.client.quorum();
        long found = Releases.role(quorum).hashCode();
        found = found * 31 + Math.min(5, quorum.epoch() - epochs);
        found = found * 31 + quorum.leaderIdOrSentinel();
        found = found * 31 + voted;
        found = found * 31 + end;
        long behind = Releases.offset(node.log.endOffset()) - node.client.highWatermark().orElse(-9);
        return found * 31 + Math.min(6, behind);
    }
}
