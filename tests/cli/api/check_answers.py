"""Compares answers of the HTTP interface with the schemas of its OpenAPI description.

    check_answers.py openapi.json ANSWERS    ANSWERS: lines of URL, tab, answer
"""

import json
import sys

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
         "object": dict, "null": type(None)}


def check(schema, value, place):
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(isinstance(value, TYPES[name]) for name in names), f"{place}: {value!r} is no {names}"
    if isinstance(value, list):
        for number, item in enumerate(value):
            check(schema["items"], item, f"{place}[{number}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            assert name in value, f"{place}.{name} is missing"
        for name, item in value.items():
            if name in schema["properties"]:
                check(schema["properties"][name], item, f"{place}.{name}")
            else:
                assert schema["additionalProperties"], f"{place}.{name} is not described"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    seen = set()
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            url, answer = line.split("\t")
            path = "/api/v1/" + url.partition("?")[0]
            seen.add(path)
            operation = paths[path]["get"]
            check(operation["responses"]["200"]["content"]["application/json"]["schema"],
                  json.loads(answer), url)
            names = {parameter["name"] for parameter in operation["parameters"]}
            given = {field.partition("=")[0] for field in url.partition("?")[2].split("&") if field}
            assert given <= names, f"{url}: {given - names} is not described"
    described = {path for path in paths if "application/json" in paths[path]["get"]["responses"]["200"]["content"]}
    assert seen == described, f"not tested: {described - seen}"


main()
