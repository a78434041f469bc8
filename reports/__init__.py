"""Renders verdicts, traces and models for people and for other programs. Computes nothing about them."""
