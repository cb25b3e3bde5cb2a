#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The scripts of a job, as the service runs them.

Usage: ci-steps.py github|gitlab FILE DIRECTORY

Writes each script of the job `rdma` to a file of DIRECTORY, 1.sh, 2.sh ..., beside `image`, the
container's, and 1.name, ... Says what a service would not take.
"""

import pathlib
import sys

import yaml


def github(text):
    """In a container each step has a shell of its own"""
    job = text['jobs']['rdma']
    if set(text['env']) != {'SVT_URL'} or 'defaults' in job:
        sys.exit('there is more in its environment than the test knows')
    steps = [step for step in job['steps'] if 'run' in step]
    scripts = [(step['name'], '#!/bin/sh -e\n' + step['run'] + '\n') for step in steps]
    return job['container']['image'], scripts


def gitlab(text):
    """All lines are for one shell"""
    job = text['rdma']
    if set(text['variables']) != {'SVT_URL'} or 'before_script' in job:
        sys.exit('there is more in its environment than the test knows')
    lines = ['#!/bin/bash', 'set -eo pipefail', *job['script']]
    return job['image'], [('all', '\n'.join(lines) + '\n')]


def main(service, file, directory):
    read = {'github': github, 'gitlab': gitlab}[service]
    image, scripts = read(yaml.safe_load(pathlib.Path(file).read_text()))
    to = pathlib.Path(directory)
    to.mkdir(parents=True)
    (to / 'image').write_text(image + '\n')
    for number, (name, script) in enumerate(scripts, 1):
        (to / f'{number}.name').write_text(name + '\n')
        (to / f'{number}.sh').write_text(script)
        (to / f'{number}.sh').chmod(0o755)


main(*sys.argv[1:])
