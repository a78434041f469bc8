package org.slf4j.impl;

import java.util.ArrayList;
import java.util.List;

import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MarkerIgnoringBase;
import org.slf4j.helpers.MessageFormatter;

/** What Kafka logs at INFO and above, where somebody wants it. */
public final class Lines implements ILoggerFactory {
    private static final int MOST = 20_000;
    private static final List<String> KEPT = new ArrayList<>();
    private static boolean keeps = false;

    /** Whether lines are kept from now on. */
    public static void keep(boolean wanted) {
        keeps = wanted;
        KEPT.clear();
    }

    /** The lines since the last call. */
    public static List<String> taken() {
        List<String> found = List.copyOf(KEPT);
        KEPT.clear();
        return found;
    }

    @Override
    public Logger getLogger(String name) {
        return new Line(name.substring(name.lastIndexOf('.') + 1));
    }

    private static final class Line extends MarkerIgnoringBase {
        private final String of;

        Line(String of) {
            this.of = of;
        }

        private void add(String level, FormattingTuple said) {
            if (keeps && KEPT.size() < MOST) {
                KEPT.add(level + " " + of + " " + said.getMessage()
                    + (said.getThrowable() == null ? "" : ": " + said.getThrowable()));
            }
        }

        @Override public boolean isTraceEnabled() { return false; }
        @Override public boolean isDebugEnabled() { return false; }
        @Override public boolean isInfoEnabled() { return keeps; }
        @Override public boolean isWarnEnabled() { return keeps; }
        @Override public boolean isErrorEnabled() { return keeps; }
        @Override public void trace(String text) { }
        @Override public void trace(String text, Object one) { }
        @Override public void trace(String text, Object one, Object two) { }
        @Override public void trace(String text, Object... all) { }
        @Override public void trace(String text, Throwable error) { }
        @Override public void debug(String text) { }
        @Override public void debug(String text, Object one) { }
        @Override public void debug(String text, Object one, Object two) { }
        @Override public void debug(String text, Object... all) { }
        @Override public void debug(String text, Throwable error) { }
        @Override public void info(String text) { if (keeps) add("INFO", MessageFormatter.format(text, null)); }
        @Override public void info(String text, Object one) { if (keeps) add("INFO", MessageFormatter.format(text, one)); }
        @Override public void info(String text, Object one, Object two) { if (keeps) add("INFO", MessageFormatter.format(text, one, two)); }
        @Override public void info(String text, Object... all) { if (keeps) add("INFO", MessageFormatter.arrayFormat(text, all)); }
        @Override public void info(String text, Throwable error) { if (keeps) add("INFO", MessageFormatter.arrayFormat(text, new Object[] {error})); }
        @Override public void warn(String text) { if (keeps) add("WARN", MessageFormatter.format(text, null)); }
        @Override public void warn(String text, Object one) { if (keeps) add("WARN", MessageFormatter.format(text, one)); }
        @Override public void warn(String text, Object one, Object two) { if (keeps) add("WARN", MessageFormatter.format(text, one, two)); }
        @Override public void warn(String text, Object... all) { if (keeps) add("WARN", MessageFormatter.arrayFormat(text, all)); }
        @Override public void warn(String text, Throwable error) { if (keeps) add("WARN", MessageFormatter.arrayFormat(text, new Object[] {error})); }
        @Override public void error(String text) { if (keeps) add("ERROR", MessageFormatter.format(text, null)); }
        @Override public void error(String text, Object one) { if (keeps) add("ERROR", MessageFormatter.format(text, one)); }
        @Override public void error(String text, Object one, Object two) { if (keeps) add("ERROR", MessageFormatter.format(text, one, two)); }
        @Override public void error(String text, Object... all) { if (keeps) add("ERROR", MessageFormatter.arrayFormat(text, all)); }
        @Override public void error(String text, Throwable error) { if (keeps) add("ERROR", MessageFormatter.arrayFormat(text, new Object[] {error})); }
    }
}
