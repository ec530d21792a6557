"""Benchmarks against other codes and the limits of the machine; the survey of conversions."""
