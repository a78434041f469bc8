package tidegate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Who hosts one part of Kafka's classes: it does a command, and writes its answer. */
public interface Tenant {
    void answer(JsonNode command, ObjectNode answer);
}
