package org.apache.kafka.raft;

import java.nio.file.Path;
import java.util.Optional;

import org.apache.kafka.server.common.KRaftVersion; //[3.9-]

/** The file quorum-state in memory: what is written to it is on the disk. */
final class MemoryStore implements QuorumStateStore {
    private final Settings settings;
    private ElectionState written = null;

    MemoryStore(Settings settings) {
        this.settings = settings;
    }

    /** What a node that starts again finds: all of it, unless the host has a defect. */
    void restart() {
        if (settings.defect.equals("loses_quorum_state")) {
            written = null;
        }
        if (settings.defect.equals("forgets_vote") && written != null && Releases.votedFor(written) >= 0) {
            written = Releases.unknownLeader(Releases.epoch(written));
        }
    }

    ElectionState latest() {
        return written;
    }

    @Override //[3.8-]
    public Optional<ElectionState> readElectionState() { //[3.8-]
        return Optional.ofNullable(written); //[3.8-]
    } //[3.8-]

    public ElectionState readElectionState() { //[-3.7]
        return written; //[-3.7]
    } //[-3.7]

    public void writeElectionState(ElectionState latest, KRaftVersion version) { //[3.9-]
        written = latest; //[3.9-]
    } //[3.9-]

    public void writeElectionState(ElectionState latest, short version) {
        written = latest;
    }

    public void writeElectionState(ElectionState latest) {
        written = latest;
    }

    public Path path() {
        return Path.of("quorum-state");
    }

    @Override
    public void clear() {
        written = null;
    }
}
