package tidegate;

import java.util.function.Supplier;

import org.apache.kafka.common.utils.Time;

/** A clock that only the schedule moves. */
public final class Clock implements Time {
    public long now = 1_000_000;

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(long ms) {
        throw new IllegalStateException("nothing sleeps here");
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
        throw new IllegalStateException("nothing waits here");
    }
}
