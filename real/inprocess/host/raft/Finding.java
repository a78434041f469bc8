package org.apache.kafka.raft;

/** A property that fails: which one, at which node, why, and what was thrown, if anything was. */
record Finding(String property, int node, String why, Throwable thrown) {
    /** What findings of one cause have in common: the property, and where in Kafka's code something was thrown. */
    String signature() {
        if (thrown == null) {
            return property + (property.equals("comes_to_rest") ? why.replaceAll("^node \\d+", "") : "");
        }
        for (StackTraceElement element : thrown.getStackTrace()) {
            if (!element.getClassName().matches(".*(HostedNode|MemoryLog|MemoryStore|MemorySnapshot|World).*|java\\..*")) {
                return property + " " + thrown.getClass().getSimpleName() + " in " + element.getClassName().replaceAll(".*\\.", "")
                    + "." + element.getMethodName();
            }
        }
        return property + " " + thrown.getClass().getSimpleName();
    }
}
