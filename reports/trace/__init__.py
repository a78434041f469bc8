"""Renders trace documents for people and for other tools."""
