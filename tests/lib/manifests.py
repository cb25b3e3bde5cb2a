#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Looks whether manifests of Kubernetes are ones, and agree with each other: what pods ask for is what a
device plugin or a network of theirs gives. Usage: manifests.py FILE...: prints what is wrong.
"""

import json
import sys

import yaml


def documents(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from yaml.safe_load_all(file)


def containers(document):
    spec = document["spec"]
    return spec.get("template", {}).get("spec", spec)["containers"]


def of_config_map(document):
    """Resources of k8s-rdma-shared-dev-plugin."""
    for member in json.loads(document["data"]["config.json"])["configList"]:
        assert member["selectors"] and member["rdmaHcaMax"] > 0, member
        yield f"{member['resourcePrefix']}/{member['resourceName']}"


def of_daemon_set(document):
    """Resources of generic-device-plugin."""
    for container in containers(document):
        arguments = container["args"]
        domain = next(word[9:] for word in arguments if word.startswith("--domain="))
        for word, value in zip(arguments, arguments[1:]):
            if word == "--device":
                device = yaml.safe_load(value)
                paths = [path["path"] for group in device["groups"] for path in group["paths"]]
                assert all(path.startswith("/dev/infiniband/") for path in paths), paths
                yield f"{domain}/{device['name']}"


def check(found):
    resources, networks = set(), set()
    for document in found:
        kind, name = document["kind"], document["metadata"]["name"]
        if kind == "ConfigMap":
            resources.update(of_config_map(document))
        elif kind == "DaemonSet":
            resources.update(of_daemon_set(document))
        elif kind == "NetworkAttachmentDefinition":
            config = json.loads(document["spec"]["config"])
            assert config["name"] == name and ("type" in config) != ("plugins" in config), name
            networks.add(name)
        elif kind != "Pod":
            yield f"{name}: a {kind} that this does not know"
    for pod in (document for document in found if document["kind"] == "Pod"):
        name, annotations = pod["metadata"]["name"], pod["metadata"]["annotations"]
        for network in annotations["k8s.v1.cni.cncf.io/networks"].split(","):
            if network not in networks:
                yield f"{name}: no network {network}"
        for resource in (key for one in containers(pod) for key in one["resources"]["limits"]):
            if resource not in resources:
                yield f"{name}: nobody gives {resource}"


def main(paths):
    wrong = list(check(list(documents(paths))))
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
