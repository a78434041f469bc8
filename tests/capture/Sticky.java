import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor;
import org.apache.kafka.common.TopicPartition;

/**
 * What Kafka's own sticky assignors do. A line in is `sticky 3,3 de,d 5,4 d0.e1,-`: partitions of topics d, e, f; topics,
 * generation and claims of each member ("-": none). A line out is `d:0:1 e:1:0`: topic, partition, member, or `fails`.
 */
public class Sticky {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(
                assigned(words[0], words[1].split(","), words[2].split(","), words[3].split(","), words[4].split(",")));
        }
    }

    private static String assigned(String name, String[] counts, String[] topics, String[] generations, String[] claims) {
        AbstractStickyAssignor assignor = name.equals("sticky") ? new StickyAssignor() : new CooperativeStickyAssignor();
        Map<String, Integer> partitions = new TreeMap<>();
        Map<String, Subscription> subscriptions = new TreeMap<>();
        for (int member = 0; member < topics.length; member++) {
            List<String> subscribed = new ArrayList<>();
            for (char topic : topics[member].replace("-", "").toCharArray()) {
                subscribed.add(String.valueOf(topic));
                int count = Integer.parseInt(counts[topic - 'd']);
                if (count > 0) partitions.put(String.valueOf(topic), count);
            }
            int generation = Integer.parseInt(generations[member]);
            List<TopicPartition> owned = owned(claims[member]);
            subscriptions.put(String.valueOf(member), subscription(name, subscribed, generation, owned));
        }
        List<String> found = new ArrayList<>();
        try {
            assignor.assign(partitions, subscriptions).forEach((member, parts) -> {
                for (TopicPartition at : parts) found.add(at.topic() + ":" + at.partition() + ":" + member);
            });
        } catch (RuntimeException failure) {
            return "fails";
        }
        return String.join(" ", found);
    }

    private static List<TopicPartition> owned(String claims) {
        List<TopicPartition> owned = new ArrayList<>();
        if (!claims.equals("-"))
            for (String claim : claims.split("\\."))
                owned.add(new TopicPartition(claim.substring(0, 1), Integer.parseInt(claim.substring(1))));
        return owned;
    }

    /** As a consumer of that assignor sends it, which was assigned `owned` in `generation`. */
    private static Subscription subscription(String name, List<String> topics, int generation, List<TopicPartition> owned) {
        AbstractStickyAssignor own = name.equals("sticky") ? new StickyAssignor() : new CooperativeStickyAssignor();
        own.onAssignment(new Assignment(owned), new ConsumerGroupMetadata("group", generation, "member", Optional.empty()));
        ByteBuffer data = own.subscriptionUserData(new java.util.HashSet<>(topics));
        List<TopicPartition> kept = name.equals("sticky") ? List.of() : owned;
        return new Subscription(topics, data, kept, generation, Optional.empty());
    }
}
