package org.apache.kafka.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.raft.errors.NotLeaderException;

/** All nodes, and all that is on its way between them. A step changes it; nothing else does. */
final class World {
    static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAA";

    final Settings settings;
    final long seed;
    final HostedNode[] nodes;
    final List<Message> flying = new ArrayList<>();
    final Judge judge;
    int appended = 0;
    private int sent = 0;
    int taken = 0;

    World(Settings settings, long seed) {
        this.settings = settings;
        this.seed = seed;
        this.judge = new Judge(settings);
        this.nodes = new HostedNode[settings.nodes() + 1];
        for (int id = 1; id < nodes.length; id++) {
            nodes[id] = new HostedNode(id, this, settings);
        }
        for (int id = 1; id < nodes.length; id++) {
            guarded(nodes[id], nodes[id]::start);
        }
    }

    /** Takes a step, unless a property has failed; whether there was something to do. */
    boolean take(Verb verb, int[] step) {
        if (judge.hasEnded()) {
            return false;
        }
        taken++;
        if (verb.isOfMessage()) {
            int at = find(step);
            if (at >= 0) {
                passOn(verb, flying.remove(at));
            }
            return at >= 0;
        }
        return verb == Verb.LOOK || (verb == Verb.EXCHANGE ? exchange(step) : of(verb, nodes[step[1]], step));
    }

    private boolean exchange(int[] step) {
        int at = find(new int[] {0, step[1], step[2], step[3], 0, step[5]});
        if (at < 0) {
            return false;
        }
        Message request = flying.remove(at);
        passOn(Verb.DELIVER, request);
        Message answer = answerTo(request);
        HostedNode asked = nodes[request.to()];
        if (answer == null && step[6] > 0 && asked.isUp() && !judge.hasEnded()) {
            guarded(asked, () -> asked.passTime(step[6]));
            answer = answerTo(request);
        }
        if (answer == null || judge.hasEnded()) {
            return false;
        }
        flying.remove(answer);
        passOn(step[4] == 1 ? Verb.DELIVER : Verb.CUT, answer);
        return true;
    }

    private Message answerTo(Message request) {
        return flying.stream().filter(one -> one.answer() && one.number() == request.number()).findFirst().orElse(null);
    }

    private boolean of(Verb verb, HostedNode node, int[] step) {
        if (verb == Verb.START) {
            return !node.isUp() && guarded(node, node::start);
        }
        if (verb == Verb.REPLACE_DISK) {
            crash(node, 0);
            node.replaceDisk();
            judge.diskReplaced(node);
            return true;
        }
        if (!node.isUp()) {
            return false;
        }
        return switch (verb) {
            case TICK -> guarded(node, () -> node.passTime(node.untilDeadline()));
            case AHEAD -> guarded(node, () -> node.passTime(step[2]));
            case APPEND -> node.isActive() && guarded(node, () -> ifItLeads(() -> append(node, step)));
            case PREPARE -> node.isActive() && guarded(node, () -> ifItLeads(() -> prepare(node, step[2])));
            case SCHEDULE -> node.isActive() && guarded(node, node::schedule);
            case CRASH -> crash(node, step[2]);
            case RESIGN -> node.isActive() && guarded(node, () -> resign(node));
            case STOP -> guarded(node, () -> stop(node));
            case REGISTER -> guarded(node, node::register);
            case SNAPSHOT -> node.controller.applied >= 0 && guarded(node, node::snapshot);
            case CLEAN -> node.log.latestSnapshotId().map(node.log::deleteBeforeSnapshot).orElse(false);
            case ADD_VOTER, REMOVE_VOTER -> guarded(node, () -> Membership.change(this, verb, node, nodes[step[2]]));
            default -> throw new IllegalArgumentException("no such step: " + verb);
        };
    }

    /** A controller appends. Where its node lost the lead before that heard of it, nothing is appended. */
    private static void ifItLeads(Runnable appends) {
        try {
            appends.run();
        } catch (NotLeaderException error) {
            // as QuorumController has it: it will hear that it does not lead
        }
    }

    private void append(HostedNode node, int[] step) {
        int first = step.length > 3 ? step[3] : appended + 1;
        node.append(first, step[2]);
        appended = Math.max(appended, first + step[2] - 1);
    }

    private void prepare(HostedNode node, int count) {
        node.prepare(appended + 1, count);
        appended += count;
    }

    private void resign(HostedNode node) {
        node.client.resign(node.controller.leads);
        node.settle();
    }

    private void stop(HostedNode node) {
        node.client.shutdown(settings.electionMs);
        for (int polls = 0; polls < 3 && node.client.isRunning(); polls++) {
            node.client.poll();
        }
        if (!node.client.isRunning()) {
            node.client.close();
            crash(node, Integer.MAX_VALUE);
        }
    }

    private boolean crash(HostedNode node, int kept) {
        node.crash(kept);
        judge.crashed(node);
        return true;
    }

    /** Does something in a node, and looks at what it is then; what it throws is a finding. */
    boolean guarded(HostedNode node, Runnable what) {
        try {
            what.run();
            judge.look(node);
        } catch (RuntimeException | AssertionError error) {
            judge.fail("no_exception", node, error.getClass().getSimpleName() + ": " + error.getMessage(), error);
        }
        if (!judge.hasEnded() && node.isUp() && !node.client.isRunning()) {
            crash(node, Integer.MAX_VALUE);
        }
        return true;
    }

    // --- messages -----------------------------------------------------------------------------------------------------

    void send(HostedNode node, RaftRequest.Outbound request, CompletableFuture<RaftResponse.Inbound> completion) {
        int to = Releases.destination(request);
        flying.add(new Message(node.id, to, false, request.data(), request, completion, node.incarnation, sent++));
    }

    private int find(int[] step) {
        int left = step[5];
        for (int i = 0; i < flying.size(); i++) {
            if (flying.get(i).is(step) && left-- == 0) {
                return i;
            }
        }
        return -1;
    }

    private void passOn(Verb verb, Message message) {
        if (verb == Verb.LOSE) {
            return;
        }
        HostedNode to = nodes[message.to()];
        if (message.answer() && verb == Verb.DELIVER) {
            answered(message, message.data());
        } else if (verb == Verb.CUT || !to.isUp()) {
            guarded(nodes[message.asker()], () -> answered(message,
                RaftUtil.errorResponse(ApiKeys.forId(message.api()), Errors.BROKER_NOT_AVAILABLE)));
        } else if (message.api() == ApiKeys.API_VERSIONS.id) {
            flying.add(message.answeredWith(Membership.versions()));
        } else {
            arrives(message, to);
        }
    }

    private void arrives(Message message, HostedNode to) {
        RaftRequest.Inbound inbound = Releases.inbound(message.request().correlationId(), message.data(), to.clock.now);
        BiConsumer<RaftResponse.Outbound, Throwable> answers =
            (response, error) -> flying.add(message.answeredWith(response.data()));
        if (message.api() == ApiKeys.FETCH.id || message.api() == ApiKeys.FETCH_SNAPSHOT.id) {
            judge.asks(message.from(), to);
        }
        guarded(to, () -> {
            inbound.completion.whenComplete(answers); //[-4.3]
            to.client.handle(inbound); //[-4.3]
            to.client.handle(inbound).whenComplete(answers); //[4.4-]
            to.settle();
        });
    }

    /** An answer comes to who asked, unless that one is down, or was started again since. */
    private void answered(Message message, ApiMessage data) {
        HostedNode asker = nodes[message.asker()];
        if (!asker.isUp()) {
            return;
        }
        if (asker.incarnation == message.incarnation()) {
            guarded(asker, () -> {
                message.completion().complete(Releases.answer(message.request(), data));
                asker.settle();
            });
        } else if (settings.defect.equals("answers_former_incarnation")) {
            guarded(asker, () -> {
                asker.arrives(Releases.answer(message.request(), data));
                asker.settle();
            });
        }
    }
}
