"""Renders an audit's document."""
