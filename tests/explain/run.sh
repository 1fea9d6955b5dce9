#!/usr/bin/env bash
# Every code is explained, and the examples are refused with their codes.
exec python3 "$(dirname "$0")/check.py"
