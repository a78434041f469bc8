package org.apache.kafka.raft;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.slf4j.impl.Lines;

import tidegate.Host;
import tidegate.Tenant;

/** Hosts quorums of controllers. A command is of one of several worlds, by its number. */
public final class Quorums implements Tenant {
    private final Map<Integer, World> worlds = new HashMap<>();
    private final Map<String, Hunt> hunts = new HashMap<>();

    @Override
    public void answer(JsonNode command, ObjectNode answer) {
        switch (command.path("do").asText()) {
            case "open" -> open(command);
            case "take" -> take(command, answer);
            case "hunt" -> hunt(command, answer);
            default -> throw new IllegalArgumentException("no such command: " + command.path("do"));
        }
    }

    private void open(JsonNode command) {
        Lines.keep(command.path("log").asBoolean(false));
        World world = new World(new Settings(command.path("settings")), command.path("seed").asLong());
        worlds.put(command.path("world").asInt(0), world);
    }

    private void take(JsonNode command, ObjectNode answer) {
        World world = worlds.get(command.path("world").asInt(0));
        ArrayNode taken = answer.putArray("taken");
        ArrayNode states = answer.putArray("states");
        boolean each = command.path("look").asText().equals("each");
        for (JsonNode one : command.path("steps")) {
            Verb verb = Verb.of(one.get(0).asText());
            int[] step = new int[one.size()];
            for (int i = 1; i < step.length; i++) {
                step[i] = one.get(i).asInt();
            }
            taken.add(world.take(verb, step));
            if (each) {
                Look.add(states.addArray(), world);
            }
        }
        if (command.path("recover").asBoolean(false) && !world.judge.hasEnded()) {
            new Recovery(world, new ArrayList<>()).run();
        }
        if (!each) {
            Look.add(states.addArray(), world);
        }
        Look.addFlying(answer.putArray("flying"), world);
        answer.put("committed", world.judge.committedEnd());
        findings(answer, world, world.judge.findings());
        ArrayNode lines = answer.putArray("lines");
        Lines.taken().forEach(lines::add);
    }

    private void hunt(JsonNode command, ObjectNode answer) {
        Lines.keep(false);
        Settings settings = new Settings(command.path("settings"));
        long seed = command.path("seed").asLong();
        int length = command.path("length").asInt();
        Hunt hunt = hunts.computeIfAbsent(command.path("settings") + " " + seed, ignored -> new Hunt(settings, seed, length));
        long steps = 0;
        int runs = 0;
        while (runs < command.path("runs").asInt()) {
            Hunt.Run run = hunt.next();
            runs++;
            steps += run.world().taken;
            List<Finding> fresh = hunt.fresh(run);
            if (!fresh.isEmpty()) {
                answer.put("world", run.seed());
                findings(answer, run.world(), fresh);
                moves(answer.putArray("schedule"), run.moves());
                break;
            }
        }
        answer.put("runs", runs).put("steps", steps).put("states", hunt.states());
    }

    private static void moves(ArrayNode into, List<Hunt.Move> moves) {
        for (Hunt.Move move : moves) {
            ArrayNode one = into.addArray().add(move.verb().text());
            for (int i = 1; i < move.step().length; i++) {
                one.add(move.step()[i]);
            }
        }
    }

    private static void findings(ObjectNode answer, World world, List<Finding> findings) {
        ArrayNode into = answer.putArray("findings");
        for (Finding finding : findings) {
            ObjectNode found = into.addObject();
            found.put("property", finding.property()).put("signature", finding.signature()).put("node", finding.node());
            found.put("why", finding.why());
            ArrayNode stack = found.putArray("stack");
            if (finding.thrown() != null) {
                Host.trace(stack, finding.thrown());
            }
        }
    }
}
