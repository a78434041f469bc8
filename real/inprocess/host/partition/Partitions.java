package org.apache.kafka.controller;

import java.util.HashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.slf4j.impl.Lines;

import tidegate.Tenant;

/** Hosts controllers with one partition each. A command is of one of several worlds, by its number. */
public final class Partitions implements Tenant {
    private final Map<Integer, HostedController> worlds = new HashMap<>();

    @Override
    public void answer(JsonNode command, ObjectNode answer) {
        switch (command.path("do").asText()) {
            case "open" -> open(command, answer);
            case "take" -> take(command, answer);
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
        for (JsonNode one : command.path("steps")) {
            int[] numbers = new int[one.size() - 1];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = one.get(i + 1).asInt();
            }
            int written = controller.log.size();
            errors.add(controller.take(Call.of(one.get(0).asText()), numbers));
            ArrayNode of = records.addArray();
            controller.log.subList(written, controller.log.size()).forEach(record -> of.add(record.message().toString()));
            ControllerLook.add(states.addObject(), controller);
        }
        ArrayNode lines = answer.putArray("lines");
        Lines.taken().forEach(lines::add);
    }
}
