package org.apache.kafka.controller;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.slf4j.impl.Lines;

import tidegate.Host;
import tidegate.Tenant;

/** Hosts controllers with one partition each. A command is of one of several worlds, by its number. */
public final class Partitions implements Tenant {
    private final Map<Integer, HostedController> worlds = new HashMap<>();
    private final Map<String, PartitionHunt> hunts = new HashMap<>();

    @Override
    public void answer(JsonNode command, ObjectNode answer) {
        switch (command.path("do").asText()) {
            case "open" -> open(command, answer);
            case "take" -> take(command, answer);
            case "hunt" -> hunt(command, answer);
            default -> throw new IllegalArgumentException("no such command: " + command.path("do"));
        }
    }

    private void open(JsonNode command, ObjectNode answer) {
        Lines.keep(command.path("log").asBoolean(false));
        HostedController controller = new HostedController(new ControllerSettings(command.path("settings")));
        worlds.put(command.path("world").asInt(0), controller);
        ControllerLook.add(answer.putObject("state"), controller);
    }

    private void take(JsonNode command, ObjectNode answer) {
        HostedController controller = worlds.get(command.path("world").asInt(0));
        ArrayNode errors = answer.putArray("errors");
        ArrayNode records = answer.putArray("records");
        ArrayNode states = answer.putArray("states");
        boolean judges = command.path("judge").asBoolean(false);
        for (JsonNode one : command.path("steps")) {
            int[] numbers = new int[one.size() - 1];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = one.get(i + 1).asInt();
            }
            int written = controller.log.size();
            Call call = Call.of(one.get(0).asText());
            errors.add(judges ? controller.judged(call, numbers) : controller.take(call, numbers));
            ArrayNode of = records.addArray();
            controller.log.subList(written, controller.log.size()).forEach(record -> of.add(record.message().toString()));
            ControllerLook.add(states.addObject(), controller);
        }
        findings(answer, controller.judge.findings());
        ArrayNode lines = answer.putArray("lines");
        Lines.taken().forEach(lines::add);
    }

    private void hunt(JsonNode command, ObjectNode answer) {
        Lines.keep(false);
        ControllerSettings settings = new ControllerSettings(command.path("settings"));
        PartitionHunt hunt = hunts.computeIfAbsent(command.path("settings") + " " + command.path("seed"),
            ignored -> new PartitionHunt(settings, command.path("seed").asLong(), command.path("length").asInt()));
        long steps = 0;
        int runs = 0;
        while (runs < command.path("runs").asInt()) {
            PartitionHunt.Run run = hunt.next();
            runs++;
            steps += run.moves().size();
            List<PartitionFinding> fresh = hunt.fresh(run);
            if (!fresh.isEmpty()) {
                findings(answer, fresh);
                ArrayNode schedule = answer.putArray("schedule");
                for (PartitionHunt.Move move : run.moves()) {
                    ArrayNode one = schedule.addArray().add(move.call().text());
                    for (int number : move.numbers()) {
                        one.add(number);
                    }
                }
                break;
            }
        }
        answer.put("runs", runs).put("steps", steps).put("states", hunt.states());
    }

    private static void findings(ObjectNode answer, List<PartitionFinding> findings) {
        ArrayNode into = answer.putArray("findings");
        for (PartitionFinding finding : findings) {
            ObjectNode found = into.addObject();
            found.put("property", finding.property()).put("signature", finding.signature()).put("node", 0);
            found.put("why", finding.why());
            ArrayNode stack = found.putArray("stack");
            if (finding.thrown() != null) {
                Host.trace(stack, finding.thrown());
            }
        }
    }
}
