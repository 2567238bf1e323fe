"""A policy's answers to a part of the benchmark, executed, where one job would take too long."""
