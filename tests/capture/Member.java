import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A consumer of Kafka's own client: arguments are a topic, then settings as `name=value`. Each line in is a command, and
 * is answered by one: `poll` polls once; the answer has the partitions that it is assigned, and what it was given.
 */
public class Member {
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        for (String one : List.of(arguments).subList(1, arguments.length))
            settings.put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
        StringDeserializer text = new StringDeserializer();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, text, text)) {
            consumer.subscribe(List.of(arguments[0]));
            for (String line = in.readLine(); line != null; line = in.readLine()) System.out.println(polled(consumer));
        }
    }

    private static String polled(KafkaConsumer<String, String> consumer) {
        List<String> given = new ArrayList<>();
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) given.add(record.value());
        List<String> owned = new ArrayList<>();
        for (TopicPartition one : consumer.assignment()) owned.add(String.valueOf(one.partition()));
        return String.join(",", owned.stream().sorted().toList()) + "|" + String.join(",", given);
    }
}
