"""Renders a gate's document."""
