import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Prints for each server.properties named whether a release refuses it: the name, and why or nothing, tab separated. Asked of its own KafkaConfig. */
public class StartUp {
    public static void main(String[] files) throws IOException {
        for (String file : files) {
            Properties settings = new Properties();
            try (Reader reader = Files.newBufferedReader(Path.of(file))) {
                settings.load(reader);
            }
            System.out.println(Path.of(file).getFileName() + "\t" + whyRefused(settings).replaceAll("\\s+", " "));
        }
    }

    private static String whyRefused(Properties settings) {
        try {
            new kafka.server.KafkaConfig(settings, false);
            return "";
        } catch (RuntimeException refusal) {
            return refusal.toString();
        }
    }
}
