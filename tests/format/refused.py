#!/usr/bin/env python3
"""refused.py FILE: that the library and the second reader both refuse it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import text  # noqa: E402
from library import Library  # noqa: E402
from tables import Refused  # noqa: E402

with open(sys.argv[1], "rb") as f:
    data = f.read()
if Library().load(data)[0]:
    sys.exit("the library reads it")
try:
    text.read(data, {b"prelude": set()})
except Refused:
    sys.exit(0)
sys.exit("the second reader reads it")
