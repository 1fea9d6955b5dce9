#!/usr/bin/env python3
"""refused.py FILE: that the library and the second reader both refuse it."""

import sys

from fclfile import Refused, text
from library import Library

with open(sys.argv[1], "rb") as f:
    data = f.read()
if Library().load(data)[0]:
    sys.exit("the library reads it")
try:
    text.read(data, {b"prelude": set()})
except Refused:
    sys.exit(0)
sys.exit("the second reader reads it")
