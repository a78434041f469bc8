import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Prints for each file of properties whether a release's KafkaProducer, or KafkaConsumer where the file has a deserializer, refuses to be made of it: the
 * name, and why or nothing, tab separated. No broker is needed, and none is asked.
 */
public class ClientStartUp {
    public static void main(String[] files) throws IOException {
        for (String file : files) {
            Properties settings = new Properties();
            try (Reader reader = Files.newBufferedReader(Path.of(file))) {
                settings.load(reader);
            }
            System.out.println(Path.of(file).getFileName() + "\t" + whyRefused(settings).replaceAll("\\s+", " "));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0); // whatever still looks for brokers
    }

    /** Ends a client beside the others, so that none goes on looking for brokers. */
    private static void end(java.io.Closeable client) {
        Thread ending = new Thread(() -> {
            try {
                client.close();
            } catch (IOException | RuntimeException ended) {
                // it was to end, and it has
            }
        });
        ending.setDaemon(true);
        ending.start();
    }

    private static String whyRefused(Properties settings) {
        try {
            if (settings.containsKey("key.deserializer")) {
                end(new org.apache.kafka.clients.consumer.KafkaConsumer<byte[], byte[]>(settings));
            } else {
                end(new org.apache.kafka.clients.producer.KafkaProducer<byte[], byte[]>(settings));
            }
            return "";
        } catch (RuntimeException refusal) {
            Throwable cause = refusal;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause.toString();
        }
    }
}
