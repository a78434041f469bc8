import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** What the coordinator's own assignors do. A line in is `uniform 3,3 0:01:0.0+0.2 2:01:`: members, topics, what they had. */
public class Coordinator {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) System.out.println(owners(line.split(" ")));
    }

    private static Uuid id(int topic) {
        return new Uuid(0, topic + 1);
    }

    private static String owners(String[] words) {
        String[] counts = words[1].split(",");
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        Map<Uuid, Map<Integer, String>> inverted = new HashMap<>();
        Set<Set<Uuid>> subscriptions = new java.util.HashSet<>();
        for (int at = 2; at < words.length; at++) {
            String[] parts = words[at].split(":", -1);
            Set<Uuid> topics = new TreeSet<>();
            for (char topic : parts[1].toCharArray()) topics.add(id(topic - '0'));
            Map<Uuid, Set<Integer>> owned = new TreeMap<>();
            for (String one : parts[2].isEmpty() ? new String[0] : parts[2].split("\\+")) {
                Uuid topic = id(one.charAt(0) - '0');
                int number = Integer.parseInt(one.substring(2));
                owned.computeIfAbsent(topic, __ -> new TreeSet<>()).add(number);
                inverted.computeIfAbsent(topic, __ -> new HashMap<>()).put(number, parts[0]);
            }
            subscriptions.add(topics);
            Assignment had = new Assignment(owned);
            members.put(parts[0], new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), topics, had));
        }
        SubscriptionType type = subscriptions.size() == 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        ConsumerGroupPartitionAssignor assignor = words[0].equals("range") ? new RangeAssignor() : new UniformAssignor();
        List<String> found = new ArrayList<>();
        assignor.assign(new GroupSpecImpl(members, type, inverted), new Topics(counts)).members().forEach((member, has) ->
            has.partitions().forEach((topic, numbers) -> {
                for (int number : numbers) found.add(topic.getLeastSignificantBits() - 1 + ":" + number + ":" + member);
            }));
        return String.join(" ", found);
    }

    private record Topics(String[] counts) implements SubscribedTopicDescriber {
        public int numPartitions(Uuid topic) {
            return Integer.parseInt(counts[(int) topic.getLeastSignificantBits() - 1]);
        }

        public Set<String> racksForPartition(Uuid topic, int number) {
            return Set.of();
        }
    }
}
