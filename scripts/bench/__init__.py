"""Measures the goals of speed that depend on our code, each as a ratio of two things run alternately in one run.

`make bench` starts the whole product on free ports with a durable database of its own, runs everything and prints a
table. Machines are noisy, so CPU is compared, not time, and the median of several alternating rounds counts.
"""
