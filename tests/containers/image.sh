#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the image of packaging/container/Containerfile by podman, without the network, for 10-podman.sh: of
# `make deb` and a root of scripts/root.sh with Debian and programs for verbs. Its files are in
# build/container/root then, and the packages of base and image in build/container/*.packages. Runs on the
# host, as root.

set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
cd "$TOP"

# What nobody needs in a container, and would be copied some times
LEFT_OUT=(./proc ./sys ./dev ./run ./boot ./usr/src ./usr/lib/modules ./usr/lib/firmware ./usr/share/doc
	./usr/share/man ./usr/share/locale './var/cache/apt/*.bin' ./var/cache/man)
# What podman would make, where it can
MADE=(etc/hosts etc/hostname etc/resolv.conf run/.containerenv)

packages_of() {
	dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${Package}\n' | sort
}

# RUN gets a root and no container, for the machine that tests run on may not have what one needs
build() {
	tar -C "$base" "${LEFT_OUT[@]/#/--exclude=}" -c . | "${podman[@]}" import -q - svt-base &&
		unshare -n "${podman[@]}" build -q --isolation chroot --network host \
			--build-arg BASE=localhost/svt-base -t rdma-svt -f packaging/container/Containerfile \
			"$BUILD/deb" &&
		"${podman[@]}" create --name files localhost/rdma-svt true &&
		"${podman[@]}" export files | tar -x -C "$to.new/root" --numeric-owner
}

need podman podman
base=$(scripts/root.sh bookworm-machine)
make -s deb
to=$BUILD/container
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
podman=(podman --root "$store/root" --runroot "$store/run" --tmpdir "$store/tmp" --storage-driver vfs
	--cgroup-manager cgroupfs --events-backend none)
rm -rf "$to.new"
mkdir -p "$to.new/root"
build >"$BUILD/container.log" 2>&1 || { tail -n 20 "$BUILD/container.log" && die "no image was built"; }
mkdir -p "$to.new/root"/{proc,sys,dev,run,etc,tmp}
for file in "${MADE[@]}"; do
	: >>"$to.new/root/$file"
done
packages_of "$base" >"$to.new/base.packages"
packages_of "$to.new/root" >"$to.new/image.packages"
rm -rf "$to"
mv "$to.new" "$to"
