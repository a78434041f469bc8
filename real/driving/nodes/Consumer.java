import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Kafka's own consumer, for the driver: arguments are settings as `name=value`, and `topic`; with `revoke` a rebalance
 * listener commits what was processed. A line in is a command, and is answered by one that begins with `=`. Between
 * `join` and `settle` it polls by itself. Partitions are paused but while records of them are polled. A line without `=`
 * is what became of a commit that nobody waited for.
 */
public class Consumer implements ConsumerRebalanceListener {
    private static final Map<Integer, String> OWNERS = new TreeMap<>();
    private final Map<TopicPartition, List<ConsumerRecord<String, String>>> inHand = new HashMap<>();
    private final KafkaConsumer<String, String> consumer;
    private final String topic;
    private final boolean revoke;
    private String wrong = "-";

    private Consumer(Properties settings) {
        topic = (String) settings.remove("topic");
        revoke = "true".equals(settings.remove("revoke"));
        if (!"consumer".equals(settings.get("group.protocol"))) settings.put("partition.assignment.strategy", List.of(Given.class));
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Properties settings = new Properties();
        for (String one : arguments) settings.put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Consumer one = new Consumer(settings);
        out.println("ready");
        boolean joining = false;
        while (true) {
            while (joining && !in.ready()) one.idle(50);
            String line = in.readLine();
            if (line == null) return;
            String[] words = line.split(" ");
            if (words[0].equals("join") || words[0].equals("settle")) joining = words[0].equals("join");
            out.println("= " + one.does(words, out));
        }
    }

    private String does(String[] words, PrintStream out) {
        try {
            switch (words[0]) {
                case "assign": return assign(words);
                case "join": consumer.subscribe(List.of(topic), this); return "joins";
                case "settle": return "settled";
                case "look": return look();
                case "idle": idle(100); return wrong;
                case "poll": return poll(at(words[1]), Integer.parseInt(words[2]));
                case "reset": return reset(at(words[1]));
                case "process": return process(at(words[1]), words[2]);
                case "commit": consumer.commitSync(offsets(words), Duration.ofMillis(Long.parseLong(words[1]))); return "committed";
                case "send": consumer.commitAsync(offsets(words), (of, error) -> out.println(error == null ? "committed" : "failed")); return "sent";
                case "close": consumer.close(); return "closed";
                default: return "unknown";
            }
        } catch (RuntimeException error) {
            return error.getClass().getSimpleName();
        }
    }

    private String assign(String[] words) {
        OWNERS.clear();
        for (int at = 1; at < words.length; at++) OWNERS.put(Integer.parseInt(words[at].split(":")[0]), words[at].split(":")[1]);
        return "planned";
    }

    /** A poll that is to give no records. */
    private void idle(int milliseconds) {
        try {
            if (wrong.equals("-")) consumer.poll(Duration.ofMillis(milliseconds));
        } catch (NoOffsetForPartitionException error) {
            wrong = error.getClass().getSimpleName();
        }
    }

    private String look() {
        StringBuilder said = new StringBuilder(wrong);
        for (TopicPartition one : new TreeSet<>(consumer.assignment().stream().map(TopicPartition::partition).toList())
            .stream().map(partition -> new TopicPartition(topic, partition)).toList())
            said.append(' ').append(one.partition()).append(':').append(position(one));
        return said.toString();
    }

    private String position(TopicPartition of) {
        try {
            return String.valueOf(consumer.position(of, Duration.ofMillis(10)));
        } catch (RuntimeException error) {
            return "none";
        }
    }

    private String poll(TopicPartition of, int count) {
        consumer.resume(List.of(of));
        for (int got = 0; got < count; )
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                inHand.computeIfAbsent(of, any -> new ArrayList<>()).add(record);
                got++;
            }
        consumer.pause(List.of(of));
        return "polled";
    }

    /** Polls until the position is another one, and gives back what came with it. */
    private String reset(TopicPartition of) {
        long old = consumer.position(of);
        consumer.resume(List.of(of));
        while (consumer.position(of) == old)
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ZERO)) consumer.seek(of, record.offset());
        consumer.pause(List.of(of));
        return "reset";
    }

    private String process(TopicPartition of, String value) {
        return inHand.getOrDefault(of, new ArrayList<>()).removeIf(one -> one.value().equals(value)) ? "processed" : "not in hand";
    }

    private TopicPartition at(String partition) {
        return new TopicPartition(topic, Integer.parseInt(partition));
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(String[] words) {
        Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>();
        for (int at = 2; at < words.length; at++)
            found.put(at(words[at].split(":")[0]), new OffsetAndMetadata(Long.parseLong(words[at].split(":")[1])));
        return found;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        consumer.pause(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (revoke && !partitions.isEmpty()) consumer.commitSync();
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        // what another member has may not be committed
    }

    /** Gives each partition to the client that the driver has named, where that is a member. */
    public static class Given implements ConsumerPartitionAssignor {
        @Override
        public String name() {
            return "given";
        }

        @Override
        public GroupAssignment assign(Cluster metadata, GroupSubscription members) {
            Map<String, Assignment> found = new HashMap<>();
            members.groupSubscription().forEach((member, subscription) -> {
                List<TopicPartition> mine = new ArrayList<>();
                String topic = subscription.topics().get(0);
                OWNERS.forEach((partition, owner) -> {
                    if (member.startsWith(owner + "-") && partition < metadata.partitionCountForTopic(topic))
                        mine.add(new TopicPartition(topic, partition));
                });
                found.put(member, new Assignment(mine));
            });
            return new GroupAssignment(found);
        }
    }
}
