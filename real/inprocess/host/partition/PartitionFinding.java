package org.apache.kafka.controller;

/** A property that fails, and why; what was thrown, if anything was. */
record PartitionFinding(String property, String why, Throwable thrown) {
    /** What findings of one cause have in common: the property, and where in Kafka's code something was thrown. */
    String signature() {
        if (thrown == null) {
            return property;
        }
        for (StackTraceElement element : thrown.getStackTrace()) {
            if (element.getClassName().startsWith("org.apache.kafka") && !element.getClassName().endsWith("HostedController")) {
                return property + " " + thrown.getClass().getSimpleName() + " in "
                    + element.getClassName().replaceAll(".*\\.", "") + "." + element.getMethodName();
            }
        }
        return property + " " + thrown.getClass().getSimpleName();
    }
}
