package org.slf4j.impl;

import org.slf4j.ILoggerFactory;
import org.slf4j.spi.LoggerFactoryBinder;

/** Where SLF4J 1.7 looks for who takes what is logged. */
public final class StaticLoggerBinder implements LoggerFactoryBinder {
    private static final StaticLoggerBinder ONE = new StaticLoggerBinder();
    private final ILoggerFactory lines = new Lines();

    private StaticLoggerBinder() { }

    public static StaticLoggerBinder getSingleton() {
        return ONE;
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return lines;
    }

    @Override
    public String getLoggerFactoryClassStr() {
        return Lines.class.getName();
    }
}
