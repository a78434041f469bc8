"""Traces of a quorum of controllers, `kraft`, on real controllers."""
