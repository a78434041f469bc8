"""Renders a model's text in mathematical notation."""
