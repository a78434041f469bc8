import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;

/** Prints every setting that a release defines: scope, name, type, default, tab separated. Asked of the release's own classes. */
public class ConfigDump {
    private static final Map<String, List<String>> CLASSES = new TreeMap<>(Map.of(
            "broker", List.of("kafka.server.KafkaConfig", "org.apache.kafka.server.config.AbstractKafkaConfig"),
            "topic", List.of("org.apache.kafka.storage.internals.log.LogConfig", "kafka.log.LogConfig"),
            "producer", List.of("org.apache.kafka.clients.producer.ProducerConfig"),
            "consumer", List.of("org.apache.kafka.clients.consumer.ConsumerConfig")));

    public static void main(String[] arguments) throws Exception {
        for (var scope : CLASSES.entrySet()) {
            var keys = new TreeMap<>(definition(scope.getValue()).configKeys());
            for (var key : keys.values()) {
                System.out.println(String.join("\t", scope.getKey(), key.name, key.type.toString(), said(key.defaultValue)));
            }
        }
    }

    private static ConfigDef definition(List<String> names) throws Exception {
        for (var name : names) {
            try {
                return definition(Class.forName(name));
            } catch (ReflectiveOperationException absent) {
                continue; // another release keeps it elsewhere
            }
        }
        throw new IllegalStateException("none of " + names + " defines settings");
    }

    private static ConfigDef definition(Class<?> from) throws ReflectiveOperationException {
        for (Field field : from.getDeclaredFields()) {
            boolean mine = ConfigDef.class.isAssignableFrom(field.getType()) && Modifier.isStatic(field.getModifiers());
            if (mine && !field.getName().startsWith("SERVER_")) { // LogConfig has the broker's part of it as well
                field.setAccessible(true);
                return (ConfigDef) field.get(null);
            }
        }
        return ofScala(Class.forName(from.getName() + "$"));
    }

    private static ConfigDef ofScala(Class<?> object) throws ReflectiveOperationException {
        Object module = object.getField("MODULE$").get(null);
        for (Field field : object.getDeclaredFields()) {
            if (ConfigDef.class.isAssignableFrom(field.getType())) {
                field.setAccessible(true);
                return (ConfigDef) field.get(module);
            }
        }
        throw new NoSuchFieldException(object + " has no definition");
    }

    private static String said(Object value) {
        if (value == ConfigDef.NO_DEFAULT_VALUE) {
            return "(none)";
        }
        return value == null ? "(null)" : String.valueOf(value).replace("\n", " ");
    }
}
