import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

/** Prints what the classes of a release of Kafka say: metadata versions, levels of features, and defaults of settings. */
public class Tables {
    private static final String SERVER = "org.apache.kafka.server.common.";
    private static final List<String[]> SETTINGS = List.of(
            new String[] {"producer", "org.apache.kafka.clients.producer.ProducerConfig"},
            new String[] {"consumer", "org.apache.kafka.clients.consumer.ConsumerConfig"},
            new String[] {"broker", "org.apache.kafka.server.config.AbstractKafkaConfig", "kafka.server.KafkaConfig"});

    public static void main(String[] arguments) throws Exception {
        Class<?> versions = Class.forName(SERVER + "MetadataVersion");
        for (Object version : versions.getEnumConstants()) {
            System.out.println("metadata\t" + call(version, "version") + "\t" + call(version, "featureLevel"));
        }
        System.out.println("latest\t" + versions.getMethod("latestProduction").invoke(null));
        Class<?> features = either(SERVER + "Feature", SERVER + "Features");
        for (Object feature : features == null ? new Object[0] : features.getEnumConstants()) {
            System.out.println("feature\t" + call(feature, "featureName") + "\t" + call(feature, "latestProduction"));
        }
        for (String[] row : SETTINGS) {
            Class<?> holder = either(row[1], row[row.length - 1]);
            if (holder != null) {
                print(row[0], definition(holder));
            }
        }
    }

    private static Object call(Object of, String method) throws Exception {
        Method found = of.getClass().isEnum() || of.getClass().getSuperclass() == Object.class
                ? of.getClass().getMethod(method) : of.getClass().getSuperclass().getMethod(method);
        return found.invoke(of);
    }

    private static Class<?> either(String first, String second) {
        for (String name : List.of(first, second)) {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException absent) {
                continue;
            }
        }
        return null;
    }

    private static Object definition(Class<?> holder) throws Exception {
        try {
            return holder.getMethod("configDef").invoke(null);
        } catch (NoSuchMethodException absent) {
            return holder.getField("CONFIG_DEF").get(null);
        }
    }

    private static void print(String scope, Object definition) throws Exception {
        Map<?, ?> keys = (Map<?, ?>) definition.getClass().getMethod("configKeys").invoke(definition);
        for (Map.Entry<?, ?> entry : keys.entrySet()) {
            Object key = entry.getValue();
            boolean has = (Boolean) key.getClass().getMethod("hasDefault").invoke(key);
            Object value = key.getClass().getField("defaultValue").get(key);
            String text = value instanceof List<?> list ? String.join(",", list.stream().map(String::valueOf).toList())
                    : String.valueOf(value);
            System.out.println(scope + "\t" + entry.getKey() + "\t" + (has ? text : "(none)"));
        }
    }
}
