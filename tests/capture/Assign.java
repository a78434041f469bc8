import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.common.TopicPartition;

/** What Kafka's own assignors do. A line in is `range 3,3 01,0`: partitions of topics, topics of members ("-": none). */
public class Assign {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(owners(words[0], words[1].split(","), words[2].split(",")));
        }
    }

    private static String owners(String name, String[] counts, String[] subscribed) {
        AbstractPartitionAssignor assignor = name.equals("range") ? new RangeAssignor() : new RoundRobinAssignor();
        Map<String, Integer> partitions = new TreeMap<>();
        Map<String, Subscription> subscriptions = new TreeMap<>();
        for (int member = 0; member < subscribed.length; member++) {
            List<String> topics = new ArrayList<>();
            for (char topic : subscribed[member].replace("-", "").toCharArray()) {
                topics.add(String.valueOf(topic));
                int count = Integer.parseInt(counts[topic - '0']);
                if (count > 0) partitions.put(String.valueOf(topic), count);
            }
            subscriptions.put(String.valueOf(member), new Subscription(topics));
        }
        List<String> found = new ArrayList<>();
        assignor.assign(partitions, subscriptions).forEach((member, owned) -> {
            for (TopicPartition at : owned) found.add(at.topic() + ":" + at.partition() + ":" + member);
        });
        return String.join(" ", found);
    }
}
