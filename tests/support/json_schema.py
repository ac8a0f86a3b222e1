#!/usr/bin/env python3
"""json_schema.py SCHEMA FILE ... - do the files fit the schema? Prints the first misfit of each. Knows those words of
JSON Schema that the project's schemas use, and refuses a schema with others, so that nothing goes unchecked. Each
member of a schema must have a description."""
import json, re, sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
         "number": (int, float)}
NOTES = {"$schema", "$id", "title", "description", "$defs"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def misfit(value, schema, root, at="$"):
    """None, or where and why value does not fit."""
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].lstrip("#/").split("/"):
            target = target[step]
        found = misfit(value, target, root, at)
        if found:
            return found
    for word, rule in schema.items():
        wrong = None
        if word == "type":
            names = rule if isinstance(rule, list) else [rule]
            wrong = not any(is_type(value, name) for name in names)
        elif word == "const":
            wrong = value != rule or isinstance(value, bool) != isinstance(rule, bool)
        elif word == "enum":
            wrong = value not in rule
        elif word == "minimum":
            wrong = is_type(value, "number") and value < rule
        elif word == "pattern":
            wrong = isinstance(value, str) and not re.search(rule, value)
        elif word == "required":
            wrong = isinstance(value, dict) and [key for key in rule if key not in value]
        elif word == "oneOf":
            wrong = sum(misfit(value, one, root, at) is None for one in rule) != 1
        elif word == "items" and isinstance(value, list):
            for i, item in enumerate(value):
                found = misfit(item, rule, root, "%s[%d]" % (at, i))
                if found:
                    return found
        elif word in ("properties", "additionalProperties") and isinstance(value, dict):
            known = schema.get("properties", {})
            for key, member in value.items():
                sub = rule.get(key) if word == "properties" else (None if key in known else rule)
                if sub is False:
                    return "%s: unknown member %s" % (at, key)
                found = misfit(member, sub, root, at + "." + key) if isinstance(sub, dict) else None
                if found:
                    return found
        elif word not in NOTES | {"$ref", "items", "properties", "additionalProperties"}:
            raise SystemExit("json_schema.py: the schema uses %s" % word)
        if wrong:
            return "%s: %s is not as %s: %s says" % (at, json.dumps(value)[:60], word, rule)
    return None


def undescribed(schema, at="$"):
    """Paths of the members without a description."""
    for key, member in schema.items():
        for name, one in member.items() if key in ("properties", "$defs") else ():
            if key == "properties" and "description" not in one:
                yield at + "." + name
            yield from undescribed(one, at + "." + name)
        if key in ("items", "additionalProperties") and isinstance(member, dict):
            yield from undescribed(member, at + "[]")


def main():
    schema = json.load(open(sys.argv[1]))
    lacking = list(undescribed(schema))
    if lacking:
        print("%s: no description of %s" % (sys.argv[1], " ".join(lacking)))
    failures = bool(lacking)
    for path in sys.argv[2:]:
        found = misfit(json.load(open(path)), schema, schema)
        if found:
            print("%s: %s" % (path, found))
            failures = 1
    sys.exit(failures)


if __name__ == "__main__":
    main()
