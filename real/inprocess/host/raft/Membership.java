package org.apache.kafka.raft;

import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.AddRaftVoterRequestData; //[3.9-]
import org.apache.kafka.common.message.RemoveRaftVoterRequestData; //[3.9-]
import org.apache.kafka.common.protocol.ApiMessage;

/** What an administrator asks of a leader: another voter, or one less (KIP-853). The answer goes to nobody. */
final class Membership {
    private static final int ASKED = 1_000_000;

    private Membership() { }

    static void change(World world, Verb verb, HostedNode leader, HostedNode node) {
        leader.client.handle(Releases.inbound(ASKED, request(world, verb, node), leader.clock.now));
        leader.settle();
    }

    /** What a node's network layer says of the versions that it supports, which Kafka's Raft client does not see. */
    static ApiMessage versions() {
        ApiVersionsResponseData.SupportedFeatureKeyCollection features =
            new ApiVersionsResponseData.SupportedFeatureKeyCollection();
        features.add(new ApiVersionsResponseData.SupportedFeatureKey().setName("kraft.version")
            .setMinVersion((short) 0).setMaxVersion((short) 1));
        return new ApiVersionsResponseData().setSupportedFeatures(features);
    }

    private static ApiMessage request(World world, Verb verb, HostedNode node) {
        if (verb == Verb.ADD_VOTER) { //[3.9-]
            AddRaftVoterRequestData.ListenerCollection listeners = new AddRaftVoterRequestData.ListenerCollection(); //[3.9-]
            listeners.add(new AddRaftVoterRequestData.Listener().setName(Releases.LISTENER.value()) //[3.9-]
                .setHost(Releases.address(node.id).getHostString()).setPort(Releases.address(node.id).getPort())); //[3.9-]
            return new AddRaftVoterRequestData().setClusterId(World.CLUSTER).setTimeoutMs(30_000).setVoterId(node.id) //[3.9-]
                .setVoterDirectoryId(Releases.directory(node.id, node.disk)).setListeners(listeners); //[3.9-]
        } //[3.9-]
        return new RemoveRaftVoterRequestData().setClusterId(World.CLUSTER).setVoterId(node.id) //[3.9-]
            .setVoterDirectoryId(Releases.directory(node.id, node.disk)); //[3.9-]
        throw new IllegalStateException("voters do not change before Kafka 3.9"); //[-3.8]
    }
}
