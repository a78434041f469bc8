package org.apache.kafka.raft;

/** A record as it is compared: the epoch of its batch, and its number (see {@link Numbers}). */
record Entry(int epoch, int number) {
    @Override
    public String toString() {
        return epoch + (number == Numbers.LEADER_CHANGE ? "L" : number < 0 ? "c" : "#" + number);
    }
}
