# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The stages of check.sh, which sources this: their names, and what runs where. Each has a line in
# tests/budgets. Two run at a time, in this order, and WAITING beside them.

# Programs and libraries of others, and limits that take minutes to reach
THIRD_PARTY=(tests/e2e/{33,64,65,66,67,69,70,85}-*.sh)
# Clients in the kernel that Debian's kernels are built without
CLIENTS=(tests/e2e/{63,68}-*.sh)
# What needs a machine of its own: with persistent memory
PMEM=(tests/e2e/75-*.sh)
# What svt does, wherever it is loaded
mapfile -t FUNCTIONS < <(printf '%s\n' tests/e2e/[0-9]*.sh |
	grep -vxF "$(printf '%s\n' "${THIRD_PARTY[@]}" "${CLIENTS[@]}" "${PMEM[@]}")")
# Those with tests that depend on the kernel: run_on_each of tests/lib/testlib.sh
mapfile -t ON_EACH < <(grep -lE '^\s*run_on_each' "${FUNCTIONS[@]}")
# Of the functions, what a few minutes suffice for where each access is checked: programs, what is
# copied without a packet, a client in the kernel that has each type of QP, packets that broke others.
# check-full runs them all.
CHECKED='10-pingpong/((rc|ud) pingpong|teardown.*)$|'
CHECKED+='36-[^/]*/(values|teardown)|'
CHECKED+='45-[^/]*/(the client|between two|teardown)|'
CHECKED+='10-packets/(48|pad|ICRC|ATOMIC|iova|teardown)'
# Of the clients, what does not wait for their time limits
PROMPT='68-[^/]*/(a |what is|unmap|teardown)|63-[^/]*/(files, compared|what is|the link|teardown)'

# Stages that two others run beside: the longest, which waits for timers and RCU for a quarter of its time
WAITING=(functions)

# Kernels that svt is built for, at W=1 and with sparse, those of them that are booted, and the
# suites whose libibverbs is another than here
BUILT=("${SERIES[@]}" trixie/6.12 trixie/newest trixie/6.12-rt sid/newest)
BOOTED=(6.1 trixie/6.12 trixie/newest)
SUITES=(trixie sid)

# Debian on which packages are installed; on the first in the check
MACHINES=(bookworm trixie)

# Kernels of other architectures that check-full builds for, and those of them that it boots
ARCHITECTURES=(trixie-arm64/6.12 trixie-arm64/6.12-16k bookworm-s390x/6.12 trixie-riscv64/6.12
	bookworm-ppc64el/6.12)
EMULATED=(trixie-arm64/6.12 trixie-arm64/6.12-16k bookworm-s390x/6.12)

# Kernels that check-full runs the suites of KUnit in
KUNIT=(um-debug-newest trixie-arm64/kunit trixie-arm64/kunit-64k bookworm-s390x/kunit)

# Of these, those that sparse looks at in the check: the oldest and the newest headers. In check-full all,
# but trixie/newest, whose headers have words that the sparse of Debian 13 does not know.
SPARSE=(6.1 sid/newest)

# sparse_of KERNEL
sparse_of() {
	[[ " ${SPARSE[*]} " != *" $1 "* ]] || echo --sparse
}

# Kernels and roots that have to be made come first, so that no test waits for one. Roots come beside a
# kernel, for they wait for the network, and it for the processor.
build_stages() {
	local kernel suite
	stage layers scripts/check-layers.sh
	stage kernel-um scripts/kernel.sh um
	for suite in "${SUITES[@]}"; do
		stage "root-$suite" scripts/root.sh "$suite"
	done
	stage "root-${MACHINES[0]}-machine" scripts/root.sh "${MACHINES[0]}-machine"
	stage kernel-um-debug scripts/kernel.sh um-debug
	finish
	stage provider no_warnings make provider
	stage tools no_warnings make tools
	stage build-um scripts/build-modules.sh --strict --lean um
	finish
}

# Beside the longest stage, which gets what it needs of the processors
other_builds() {
	local kernel suite
	for suite in "${SUITES[@]}"; do
		stage "provider-$suite" no_warnings nice make provider ROOT="$suite"
	done
	for kernel in um-debug "${BUILT[@]}"; do
		# shellcheck disable=SC2046 # no word, or one
		stage "build-${kernel/\//-}" \
			nice scripts/build-modules.sh --strict --lean $(sparse_of "$kernel") "$kernel"
	done
}

stages() {
	local kernel suite
	build_stages
	stage_e2e functions um 1 "${FUNCTIONS[@]}"
	other_builds
	long_stage kunit scripts/kunit.sh --strict
	SVT_ONLY=$CHECKED stage_e2e checked um-debug 1 tests/e2e/{10,36,45}-*.sh tests/hostile/10-*.sh
	SVT_ONLY=$PROMPT stage_e2e clients um 1 "${CLIENTS[@]}"
	for kernel in "${BOOTED[@]}"; do
		SVT_EACH=1 stage_e2e "stock-${kernel/\//-}" "$kernel" 1 "${ON_EACH[@]}"
	done
	stage_e2e hostile-6.12 6.12 2 tests/hostile/20-*.sh
	stage_e2e pmem-6.12 6.12 pmem=64 "${PMEM[@]}"
	stage_e2e icount-6.12 6.12 icount tests/icount/[0-9]*.sh
	long_stage install with_modules 6.1 tests/vm/run.sh --kernel 6.1 --smp 1 --timeout 900 \
		--bare -- tests/install.sh
	long_stage harness with_modules um tests/vm/run.sh --kernel um --smp 1 --timeout 900 \
		-- tests/lib/selftest.sh
	stage fuzz tests/fuzz.sh
	stage style scripts/check-style.sh
	stage docs scripts/docs.sh
	stage provider-check no_warnings provider_check here
	stage "provider-check-${SUITES[0]}" no_warnings provider_check "${SUITES[0]}/"
	stage requirements tests/requirements.sh
	stage packages tests/packages.sh
	stage user-vm with_modules um tests/user-vm.sh brief
	stage bench-tables python3 tests/bench/selftest.py
	finish
}

# provider_check here|SUITE/: what make says of a failure comes behind the counts
provider_check() {
	in_root_of "$1" make -s -C providers/svt BUILD="$(provider_of "$1")" T= check 2>&1 |
		sed '/^make.*: \*\*\* /d'
}

# build_all KERNEL: the modules, and the provider and the test programs of its root
build_all() {
	scripts/build-modules.sh --strict --lean --sparse "$1" && make_programs "$1"
}

# demo STAGE KERNEL: `make demo` with one of another root
demo() {
	tests/vm/run.sh --kernel "$2" --timeout 600 --results "$LOGS/$1.results" -- tests/demo-guest.sh
}

# What other architectures find that this one does not: alignment, byte order, pages of another size, a
# weaker order of memory accesses
architecture_stages() {
	local kernel name
	for kernel in "${ARCHITECTURES[@]}"; do
		stage "full-build-${kernel/\//-}" no_warnings build_all "$kernel"
	done
	for kernel in "${EMULATED[@]}"; do
		name=full-demo-${kernel/\//-}
		long_stage "$name" with_modules "$kernel" demo "$name" "$kernel"
	done
	kernel=${EMULATED[0]}
	SVT_EACH=1 stage_e2e "full-boot-${kernel/\//-}" "$kernel" 2 tests/e2e/{10,60}-*.sh
}

bench_host() {
	scripts/install-deps.sh bench
	with_modules 6.12 tests/vm/run.sh --kernel 6.12 --timeout 900 -- tests/bench/host.sh
}

recipes() {
	scripts/install-deps.sh full
	tests/recipes.sh
}

# One processor finds other errors than two: who polls then keeps the others from running. What the
# packets and operations of 6.12 did not find, a short run on 6.1 is for.
full_stages() {
	local kernel
	stage_e2e full-functions-6.1 6.1 1 "${FUNCTIONS[@]}"
	stage_e2e full-functions-6.12 6.12 2 "${FUNCTIONS[@]}"
	for kernel in "${KUNIT[@]}"; do
		long_stage "full-kunit-${kernel//\//-}" scripts/kunit.sh --strict --kernel "$kernel"
	done
	stage full-fuzz tests/fuzz.sh --runs 20000000
	for kernel in 6.12 trixie/6.12 trixie/6.12-rt; do
		stage "full-sparse-${kernel/\//-}" scripts/build-modules.sh --strict --lean --sparse "$kernel"
	done
	stage "full-provider-check-${SUITES[1]}" no_warnings provider_check "${SUITES[1]}/"
	stage build-trixie-6.12-cloud \
		scripts/build-modules.sh --strict --lean --sparse trixie/6.12-cloud
	architecture_stages
	stage_e2e full-functions-trixie-6.12 trixie/6.12 1 "${FUNCTIONS[@]}"
	stage_e2e full-functions-trixie-newest trixie/newest 2 "${FUNCTIONS[@]}"
	stage_e2e full-selftests-trixie-newest trixie/newest 1 tests/selftests/[0-9]*.sh
	SVT_EACH=1 stage_e2e full-boot-sid-newest sid/newest 1 "${ON_EACH[@]}"
	SVT_EACH=1 stage_e2e full-boot-trixie-6.12-rt trixie/6.12-rt 2 "${ON_EACH[@]}"
	stage_e2e full-hostile-trixie-6.12-rt trixie/6.12-rt 2 tests/hostile/[0-9]*.sh
	stage_e2e full-others-6.1 6.1 1 "${THIRD_PARTY[@]}"
	stage_e2e full-others-6.12 6.12 2 "${THIRD_PARTY[@]}"
	for kernel in um um-debug; do
		stage_e2e "full-clients-$kernel" "$kernel" 1 "${CLIENTS[@]}"
	done
	for kernel in trixie/6.12 trixie/newest sid/newest; do
		stage_e2e "full-others-${kernel/\//-}" "$kernel" 2 tests/e2e/70-pyverbs.sh
	done
	for kernel in um 6.1 trixie/newest; do
		SVT_CONFORM=rxe stage_e2e "full-conform-${kernel/\//-}" "$kernel" 1 tests/e2e/46-conform.sh
	done
	stage_e2e full-icount-6.1 6.1 icount tests/icount/[0-9]*.sh
	stage_e2e full-hostile-6.1 6.1 2 tests/hostile/[0-9]*.sh
	stage_e2e full-hosts-6.12 6.12 peer=6.12 tests/hosts/[0-9]*.sh
	export SVT_FULL=1
	SVT_EACH=1 stage_e2e full-traffic-trixie-6.12-rt trixie/6.12-rt 2 tests/e2e/20-perftest.sh
	stage_e2e full-hostile-6.12 6.12 2 tests/hostile/[0-9]*.sh
	stage_e2e full-hostile-um-debug um-debug 1 tests/hostile/{10,20}-*.sh
	stage_e2e full-hostile-debug debug 2 tests/hostile/[0-9]*.sh
	stage_e2e full-debug-1 debug 2 tests/e2e/{10,15,20,30,32,33,35,37,38,40}-*.sh
	stage_e2e full-debug-2 debug 2 \
		tests/e2e/{36,45,50,55,60,65,71,72,73,74,76,78,80,85}-*.sh
	stage full-recipes recipes
	stage_e2e full-containers-6.1 6.1 1 tests/containers/[0-9]*.sh
	long_stage full-bench-host bench_host
	for suite in "${MACHINES[@]}"; do
		long_stage "full-machine-$suite" tests/boot.sh "$suite"
	done
	stage full-user-vm with_modules 6.1 with_modules um tests/user-vm.sh
	stage full-ci tests/ci.sh
	stage_e2e full-hosts-6.1 6.1 peer=6.1 tests/hosts/[0-9]*.sh
	stage_e2e full-hosts-mixed 6.12 peer=6.1 tests/hosts/[0-9]*.sh
	finish
}

kcsan_stages() {
	stage_e2e kcsan kcsan 2 tests/e2e/{10,35,36,40,50,55,72,80}-*.sh tests/hostile/[0-9]*.sh
	finish
}

# suites: of KUnit, a line "SUITE.CASE" for each case
suites() {
	awk 'FNR == 1 { for (i = 1; i <= count; i++) print suite "." cases[i]; count = 0 }
		match($0, /KUNIT_CASE[A-Z_]*\([A-Za-z0-9_]+/) {
			name = substr($0, RSTART, RLENGTH)
			sub(/.*\(/, "", name)
			cases[++count] = name
		}
		/\.name = "svt/ { split($0, part, "\""); suite = part[2] }
		END { for (i = 1; i <= count; i++) print suite "." cases[i] }' \
		drivers/*/tests/*_test.c
}

# tests_of FILE: the names of tests that have one in the file
tests_of() {
	sed -nE 's/^run_test "([^"]*)".*/\1/p' "$1"
}

# machine_tests PLANS SUITE: of a machine of tests/lib/debian.sh; the plans are a regular expression
machine_tests() {
	sed -nE "/^($1)\(\) \{/,/^\}/s/^\t//p" tests/boot-guest.sh | tests_of /dev/stdin | sed "s/\$/\t$2/"
}

# cases_of STAGE: of one that is not e2e, lines "CASE<tab>KERNEL"
cases_of() {
	local suite kernel=${1#full-*-}
	kernel=${kernel/-6./\/6.}
	case $1 in
	kunit) suites | sed 's/$/\tum-debug/' ;;
	full-kunit-*) suites | sed "s/\$/\t${1#full-kunit-}/" ;;
	fuzz | full-fuzz) basename -s .c tests/fuzz/*.c | sed 's/$/\t-/' ;;
	install) tests_of tests/install.sh | sed 's/$/\t6.1/' ;;
	harness) tests_of tests/lib/selftest.sh | sed 's/$/\tum/' ;;
	full-bench-host) tests_of tests/bench/host.sh | sed 's/$/\t6.12/' ;;
	packages)
		tests_of tests/packages.sh | sed 's/$/\t-/'
		machine_tests once "${MACHINES[0]}"
		;;
	requirements | user-vm | full-ci) tests_of "tests/${1#full-}.sh" | sed 's/$/\t-/' ;;
	full-user-vm) sed 's/^\t//' tests/user-vm.sh | tests_of /dev/stdin | sed 's/$/\t-/' ;;
	full-machine-*)
		tests_of tests/boot.sh | sed 's/$/\t-/'
		machine_tests '(alone|pair)_.|once' "${1#full-machine-}"
		;;
	full-recipes)
		{
			tests_of tests/recipes.sh
			tests/lib/monitoring.py cases | sed 's/$/ fires, and it alone/'
		} | sed 's/$/\t-/'
		;;
	bench-tables) python3 tests/bench/selftest.py | sed -n 's/^ok [0-9 ]*\(.*\)/\1\t-/p' ;;
	*provider-check*)
		suite=${1#*provider-check}
		suite=${suite#-}
		make -s -C providers/svt BUILD="$BUILD/provider" T= cases |
			sed "/^ /d; s/\$/\t${suite:--}/"
		;;
	tools) list_tools | sed 's/$/\t-/' ;;
	full-build-*) printf '%s\t%s\n' "$1" "$kernel" ;;
	full-demo-*) sed -nE "s,^verdict \"([^\"]*)\".*,demo: \\1\t$kernel,p" tests/demo-guest.sh ;;
	*-um-debug) printf '%s\tum-debug\n' "$1" ;;
	*) printf '%s\t%s\n' "$1" "${1#*-}" ;;
	esac
}

# list_tools: the cases of the test programs, whichever tests run them
list_tools() {
	local tool
	for tool in verify errnos sweep rings packets raw limits handover; do
		"$BUILD/tools/svt_$tool" -l | sed "s/^/svt_$tool: /"
	done
}
