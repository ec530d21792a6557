"""Benchmarks against other codes and machine limits; survey of script conversions."""
