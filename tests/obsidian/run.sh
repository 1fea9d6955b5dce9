#!/bin/sh
# Runs the kernels of the Obsidian paper (docs/examples/obsidian) on the evaluator and on OpenCL, and compares with results computed
# in Python; the settings are those of tests/programs/run.sh.
SUITE=obsidian exec "$(dirname "$0")/../programs/run.sh"
