package tidegate;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Takes commands on its standard input, a list of JSON objects a line, and answers them on its standard output in the same
 * way. What they mean the tenant knows, whose class is named by the argument.
 */
public final class Host {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Host() { }

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        try {
            SetOrder.fix();
        } catch (ReflectiveOperationException error) {
            System.err.println("this JDK does not let the order of Set.of be fixed, so that no run could be repeated: " + error);
            System.exit(1);
        }
        Tenant tenant = (Tenant) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            ArrayNode answer = MAPPER.createArrayNode();
            for (JsonNode command : MAPPER.readTree(line)) {
                answer.add(answer(tenant, command));
            }
            answers.println(MAPPER.writeValueAsString(answer));
        }
    }

    private static ObjectNode answer(Tenant tenant, JsonNode command) {
        ObjectNode answer = MAPPER.createObjectNode();
        try {
            tenant.answer(command, answer);
        } catch (RuntimeException | Error error) {
            answer.put("failed", error.toString()).put("changed", error instanceof LinkageError);
            trace(answer.putArray("stack"), error);
        }
        return answer;
    }

    /** What was thrown, and where. */
    public static void trace(ArrayNode into, Throwable thrown) {
        for (Throwable error = thrown; error != null; error = error.getCause()) {
            into.add(error.toString());
            for (StackTraceElement element : error.getStackTrace()) {
                into.add("  at " + element);
            }
        }
    }
}
