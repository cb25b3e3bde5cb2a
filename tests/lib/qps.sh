# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# QPs that are told what to do, by svt_forgery, for tests of who may speak to whom.

FORGERY=$BUILD/tools/svt_forgery

# open_qp NAME DEVICE GID-INDEX rc|uc|xrc [COMMAND...]: COMMAND is what runs the program. What comes of the QP
# is in $WORK/NAME
open_qp() {
	local name=$1
	mkfifo "$WORK/$name.in"
	# Open for both, the program's first read does not end it
	exec {input}<>"$WORK/$name.in"
	"${@:5}" "$FORGERY" qp "${@:2:3}" <"$WORK/$name.in" >"$WORK/$name" 2>&1 9<&- &
	until_true 20 grep -qs '^qpn ' "$WORK/$name" || die "$(<"$WORK/$name")"
}

tell() {
	echo "${*:2}" >"$WORK/$1.in"
}

# connect_to NAME GID OTHER: the QP NAME to the QP OTHER, which is at GID
connect_to() {
	tell "$1" connect "$2" "$(qpn_of "$3")"
}

qpn_of() {
	value_of qpn <"$WORK/$1"
}

# says NAME LINE: sooner or later
says() {
	until_true 20 grep -qFx "$2" "$WORK/$1" || { cat "$WORK/$1"; die "$1 does not say: $2"; }
}
