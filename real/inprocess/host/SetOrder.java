package tidegate;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * In which order Set.of and Map.of are gone through. Java draws that anew in each process, and Kafka sends requests in that
 * order: a seed would give another run in another process. So it is fixed, before anything else is done.
 */
final class SetOrder {
    private static final long SALT = 1_000_000_001L;

    private SetOrder() { }

    static void fix() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field held = type.getDeclaredField("theUnsafe");
        held.setAccessible(true);
        Object unsafe = held.get(null);
        Class<?> sets = Class.forName("java.util.ImmutableCollections");
        set(unsafe, sets.getDeclaredField("SALT32L"), "putLong", long.class, SALT);
        set(unsafe, sets.getDeclaredField("REVERSE"), "putBoolean", boolean.class, true);
    }

    private static void set(Object unsafe, Field field, String put, Class<?> type, Object value)
        throws ReflectiveOperationException {
        Object base = method(unsafe, "staticFieldBase", Field.class).invoke(unsafe, field);
        Object offset = method(unsafe, "staticFieldOffset", Field.class).invoke(unsafe, field);
        method(unsafe, put, Object.class, long.class, type).invoke(unsafe, base, offset, value);
    }

    private static Method method(Object unsafe, String name, Class<?>... types) throws NoSuchMethodException {
        return unsafe.getClass().getMethod(name, types);
    }
}
