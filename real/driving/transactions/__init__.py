"""Traces of `transactions`: the driver is the producer, all else is real."""
