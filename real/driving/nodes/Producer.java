import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kafka's own producer, for the driver: arguments are settings as `name=value`. A line in is a command: `send RECORD
 * TOPIC`, `leader TOPIC`, `close`. A line out is what was done (`ready`, `sent RECORD`, `closed`), whom the producer
 * takes for the leader (`leader BROKER`), or what came of a record (`ack RECORD`, `error RECORD EXCEPTION`).
 */
public class Producer {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Properties settings = new Properties();
        for (String one : arguments) settings.put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        KafkaProducer<String, String> producer =
            new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("send")) {
                String record = words[1];
                producer.send(new ProducerRecord<>(words[2], 0, null, record), (written, error) -> out.println(
                    error == null ? "ack " + record : "error " + record + " " + error.getClass().getSimpleName()));
                out.println("sent " + record);
            } else if (words[0].equals("leader")) {
                Node leader = producer.partitionsFor(words[1]).get(0).leader();
                out.println("leader " + (leader == null ? -1 : leader.id()));
            } else {
                producer.close(Duration.ZERO);
                out.println("closed");
            }
        }
    }
}
