#!/usr/bin/env python3
"""sarif.py LOG RESULTS: whether the file is a log in SARIF 2.1.0 with as many results.  Checks what the standard requires of the
objects that the programs write: which properties must be there, of which types, with which values, and that indices point somewhere."""

import json
import re
import sys

problems = []


def must(condition, what):
    if not condition:
        problems.append(what)
    return condition


def take(thing, key, type_, where, required=True):
    """A property of the right type; None when it is not there."""
    if key not in thing:
        must(not required, f"{where} has no {key}")
        return None
    must(isinstance(thing[key], type_) and not (type_ is int and isinstance(thing[key], bool)),
         f"{where}.{key} is no {type_.__name__}")
    return thing[key]


def only(thing, allowed, where):
    must(set(thing) <= set(allowed), f"{where} has unknown properties {set(thing) - set(allowed)}")


def check_message(message, where):
    only(message, ["text", "markdown", "id", "arguments"], where)
    must(take(message, "text", str, where), f"{where} is empty")  # 3.11.8: text, or id, and help may have markdown beside


def check_location(location, where):
    only(location, ["id", "physicalLocation", "message"], where)
    physical = take(location, "physicalLocation", dict, where, required=False)
    if physical is None:
        return
    only(physical, ["artifactLocation", "region"], where)
    uri = take(take(physical, "artifactLocation", dict, where), "uri", str, where)
    must(re.fullmatch(r"([a-z]+://)?([A-Za-z0-9/._~-]|%[0-9A-F]{2})+", uri), f"{where}: {uri} is no URI")
    region = take(physical, "region", dict, where, required=False)
    if region is not None:
        only(region, ["startLine", "startColumn", "endColumn"], where)
        must(take(region, "startLine", int, where) >= 1, f"{where}: lines are counted from 1")
        start, end = region.get("startColumn", 1), region.get("endColumn", 1 << 30)
        must(isinstance(start, int) and isinstance(end, int) and 1 <= start <= end, f"{where}: columns {start} to {end}")


def check_rule(rule, where):
    only(rule, ["id", "shortDescription", "help"], where)
    must(re.fullmatch(r"E\d{4}", take(rule, "id", str, where)), f"{where}: id")
    check_message(take(rule, "shortDescription", dict, where), where + ".shortDescription")
    check_message(take(rule, "help", dict, where), where + ".help")


def check_result(result, rules, where):
    only(result, ["ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"], where)
    must(result.get("level") in ("none", "note", "warning", "error"), f"{where}: level")
    check_message(take(result, "message", dict, where), where + ".message")
    index = take(result, "ruleIndex", int, where)
    must(0 <= index < len(rules) and rules[index]["id"] == result.get("ruleId"), f"{where}: ruleIndex is not of its ruleId")
    for location in take(result, "locations", list, where):
        check_location(location, where + ".locations")
    for related in result.get("relatedLocations", []):
        check_location(related, where + ".relatedLocations")
        check_message(take(related, "message", dict, where), where + ".relatedLocations.message")
        take(related, "id", int, where)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        log = json.load(f)
    only(log, ["$schema", "version", "runs"], "log")
    must(log.get("version") == "2.1.0", "version")
    run, = take(log, "runs", list, "log")
    only(run, ["tool", "invocations", "columnKind", "results"], "run")
    must(run.get("columnKind") in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")
    driver = take(take(run, "tool", dict, "run"), "driver", dict, "tool")
    only(driver, ["name", "version", "rules"], "driver")
    take(driver, "name", str, "driver")
    rules = take(driver, "rules", list, "driver")
    must(len({rule["id"] for rule in rules}) == len(rules), "a rule is there twice")
    for i, rule in enumerate(rules):
        check_rule(rule, f"rules[{i}]")
    for invocation in take(run, "invocations", list, "run"):
        take(invocation, "executionSuccessful", bool, "invocation")
    results = take(run, "results", list, "run")
    must(len(results) == int(sys.argv[2]), f"{len(results)} results, not {sys.argv[2]}")
    for i, result in enumerate(results):
        check_result(result, rules, f"results[{i}]")
    print("\n".join(problems) or "valid")
    sys.exit(bool(problems))


main()
