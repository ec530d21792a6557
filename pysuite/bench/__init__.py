"""Benchmarks against other codes, and a survey of script conversions."""
