#!/usr/bin/env python3
"""Asks a service for a plan and has it judged, with the standard library alone.

    examples/clients/plan.py [http://127.0.0.1:8080]

PCD_TOKEN is the token, where the service asks for one.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"

SCENE = {
    "bounds": {"min": [0, 0], "max": [10, 10]},
    "circles": [{"center": [5, 5], "radius": 1}],
    "robots": [
        {"name": "ada", "start": [1, 5], "goal": [9, 5], "radius": 0.4, "speed": 2.5},
        {"name": "bob", "start": [5, 1], "goal": [5, 9], "radius": 0.4, "speed": 2.5},
    ],
}


class Refused(Exception):
    """What a service says instead of an answer, with its reasons."""


def call(name, message):
    """Makes a call. Comes back later when the service is busy."""
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json"}
    if "PCD_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["PCD_TOKEN"]
    while True:
        try:
            request = urllib.request.Request(f"{URL}/pcd.v1.{name}", body, headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            if e.code == 429 and "Retry-After" in e.headers:
                time.sleep(float(e.headers["Retry-After"]))
                continue
            told = json.load(e)
            details = [d.get("debug", {}) for d in told.get("details", [])]
            raise Refused(told["message"], details) from None


def main():
    plan = call("PlanService/Plan", {"scene": SCENE, "brief": True})["plan"]
    for margin in plan["certificate"]["margins"]:
        print(f"{margin['constraint']}: {margin['margin']:.3f} of room")
    paths = [{"robot": r["name"], "times": plan["times"], "x": r["x"], "y": r["y"]} for r in plan["robots"]]
    judged = call("JudgeService/Judge", {"scene": SCENE, "paths": paths, "brief": True})
    print("certified" if judged["certified"] else "not certified")

    # When bob stands in the middle of ada's way, the judge says when and where they meet.
    ada, bob = paths
    bob["times"], bob["x"], bob["y"] = [0], [ada["x"][20]], [ada["y"][20]]
    for c in call("JudgeService/Judge", {"scene": SCENE, "paths": paths, "brief": True})["contacts"][:1]:
        print(f"{c['robot']} meets {c.get('other') or 'an obstacle'} at {c['from']:.1f} s near ({c['x']:.1f}, {c['y']:.1f})")


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        sys.exit(f"{refusal.args[0]}: {refusal.args[1]}")
