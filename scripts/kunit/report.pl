#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# report.pl RUN EXPECTED NONCE: the verdict on one run of scripts/kunit.sh, from what the
# guest left in the directory RUN, as KTAP.  EXPECTED is the number of suites that must have
# run, or "any".  Only a guest that went through its whole script, wrote NONCE after it and
# switched itself off can pass.

use strict;
use warnings;
no warnings 'portable';		# addresses have 64 bits

my ($run, $expected, $nonce) = @ARGV;
my $passed = 0;
my $failed = 0;
my $suites = 0;
my $results = 0;	# of the outermost level
my $suite;		# the suite whose results are being read
my @splats;

# One kernel report each.  Test output never matches: it is told apart before.
my $splat_start = qr{
	\bBUG\b[:\s] | \bWARNING:\s | \bINFO:\s(?:possible|suspicious|task|rcu|trying)
	| \bKASAN:\s | \bUBSAN:\s | \bODEBUG:\s | \bKernel\spanic\b | \bOops\b
	| general\sprotection | Kernel\smode\s(?:fault|signal) | kernel\sstack\soverflow
	| refcount_t: | \blist_(?:add|del)\b.*corruption | Bad\spage\s
	| unregister_netdevice:\swaiting | Call\sTrace: | leaked\sreference | ref_tracker:
	| turning\soff\sthe\slocking | DEBUG_LOCKS_WARN_ON | DEBUG_NET_WARN | self-detected\sstall
	| kmemleak:\s(?:Cannot|Memory\spool|Kernel\smemory\sleak\sdetector\sdisabled)
	| page\sallocation\sfailure | cannot\screate\sduplicate | is\snot\sinitialized
}x;

sub slurp {
	my ($name) = @_;

	open(my $file, '<', "$run/$name") or return;
	my @lines = <$file>;
	close($file);
	s/\r?\n$// for @lines;
	return @lines;
}

# Results of a suite come out when it is over, for its plan has to be known before.
sub result_lines {
	my (@lines) = @_;

	if ($suite) {
		push @{$suite->{results}}, map { "    $_" } @lines;
	} else {
		print map { "$_\n" } @lines;
	}
}

# What is no case has a result of its own, outside of its suite.
sub failure {
	my ($what, @detail) = @_;
	my $limit = 60;

	$failed++;
	if (@detail > $limit) {
		my $more = @detail - $limit;
		@detail = (@detail[0 .. $limit - 1], "... $more lines more");
	}
	result_lines("# FAILED: $what", map { "#     $_" } @detail);
	return if $suite;
	$results++;
	result_lines("not ok $results $what");
}

sub end_case {
	my ($verdict, $number, $name, $skip) = @_;

	$suite->{seen}++;
	if ($number != $suite->{seen}) {
		failure("$suite->{name}: result $number where $suite->{seen} was due");
		$suite->{seen} = $number;
	}
	if (defined $skip) {
		$suite->{failed}++;
		failure("$suite->{name}.$name was skipped: $skip");
		$verdict = 'not ok';
	} elsif ($verdict eq 'ok') {
		$suite->{passed}++;
		$passed++;
	} else {
		$suite->{failed}++;
		failure("$suite->{name}.$name", @{$suite->{notes}});
	}
	result_lines("$verdict $number $name");
	$suite->{notes} = [];
}

sub start_suite {
	close_suite('another began') if $suite;
	$suite = {
		name => '(no name)', seen => 0, passed => 0, failed => 0, notes => [],
		results => [],
	};
}

sub show_suite {
	my $ended = $suite;
	my $verdict = $ended->{failed} ? 'not ok' : 'ok';

	undef $suite;
	$results++;
	result_lines('    KTAP version 1', "    # Subtest: $ended->{name}");
	result_lines("    1..$ended->{plan}") if defined $ended->{plan};
	result_lines(@{$ended->{results}}, "$verdict $results $ended->{name}");
}

# The suite is over; $cut says why when its own last line did not come.
sub close_suite {
	my ($cut) = @_;
	my $before = $failed;

	if (!defined $suite->{plan}) {
		failure("$suite->{name} has no plan");
	} elsif ($suite->{seen} != $suite->{plan}) {
		failure("$suite->{name} gave $suite->{seen} of $suite->{plan} results");
	}
	failure("$suite->{name} was cut off: $cut", @{$suite->{notes}}) if $cut;
	$suite->{failed} += $failed - $before;
	$suites++;
	show_suite();
}

sub end_suite {
	my ($verdict, $name) = @_;

	if (!$suite) {
		$suites++;
		failure("$name did not start");
		return;
	}
	failure("$name ended where $suite->{name} should have") if $name ne $suite->{name};
	if ($verdict ne 'ok' && !$suite->{failed}) {
		$suite->{failed}++;
		failure("$name failed outside its cases", @{$suite->{notes}});
	}
	close_suite();
}

# Returns whether the line was KTAP.
sub read_ktap {
	my ($line) = @_;

	if ($line =~ /^    KTAP version 1$/) {
		start_suite();
	} elsif ($line =~ /^(not ok|ok) \d+ (\S+)/) {
		end_suite($1, $2);
	} elsif ($line =~ /^ +# (.*)/) {
		my $note = $1;

		return 1 if !$suite;
		if (!defined $suite->{plan} && $note =~ /^Subtest: (.*)/) {
			$suite->{name} = $1;
		} elsif ($note !~ /^(?:module|Subtest|Totals): /) {
			push @{$suite->{notes}}, $note;
		}
	} elsif ($suite && $line =~ /^    1\.\.(\d+)$/) {
		$suite->{plan} = $1;
	} elsif ($suite && $line =~ /^    (not ok|ok) (\d+) (.*?)(?: # SKIP ?(.*))?$/) {
		end_case($1, $2, $3, $4);
	} elsif ($suite && $line =~ /^ {8}(not ok|ok) (\d+ .*)/) {
		push @{$suite->{notes}}, "parameter $2" if $1 ne 'ok' || $2 =~ / # SKIP/;
	} else {
		# the lines of a failed expectation after its first have no mark
		push @{$suite->{notes}}, $line if $suite && $line =~ /^ {4,}\S/;
		return $line =~ /^\s*KTAP version/;
	}
	return 1;
}

# What follows the first line of a report belongs to it, up to the next one; a report has
# one call trace at its end, or a line that says that it ends.  Left out are the words of the
# stack, and those addresses on it that are no callers (marked with a ?).
sub read_splat {
	my ($line) = @_;
	my $starts = $line =~ $splat_start;
	my $trace = $line =~ /Call Trace:/;
	my $last = $splats[-1];

	if ($last && $last->{room} > 0 && !($starts && !$trace && $last->{traced})) {
		push @{$last->{lines}}, $line
			if $line !~ /^\s*\[<[0-9a-f]+>\] \? |^Stack:$|^ [0-9a-f]{8}(?: [0-9a-f]{8})*$/;
		$last->{traced} ||= $trace;
		$last->{room}--;
		$last->{room} = 0 if $line =~ /^---\[ end trace/;
	} elsif ($starts) {
		push @splats, { lines => [$line], room => 150, traced => $trace };
	}
}

sub read_console {
	for my $line (slurp('console.log')) {
		$line =~ s/^\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? //;
		read_splat($line) if !read_ktap($line);
	}
	close_suite('the guest ended in it') if $suite;
}

sub report_splats {
	my %seen;

	for my $splat (@splats) {
		my ($first, @rest) = @{$splat->{lines}};

		failure("the kernel reports: $first", @rest) if !$seen{$first}++;
	}
}

# Returns a function that names an address in a module which was removed.
sub namer {
	my @symbols = sort { $b->[0] <=> $a->[0] }
		map { /^([0-9a-f]+) \w (\S+)\s+(\[.*\])/ ? [hex($1), "$2", "$3"] : () }
		slurp('symbols');

	return sub {
		my ($address) = @_;

		for my $symbol (@symbols) {
			my ($start, $name, $module) = @$symbol;

			return sprintf('%s+0x%x %s', $name, $address - $start, $module)
				if $address >= $start && $address - $start < 0x10000;
		}
		return sprintf('0x%x', $address);
	};
}

sub report_leaks {
	my @blocks;
	my $name = namer();

	for my $line (slurp('kmemleak')) {
		$line =~ s/^(\s+)0x([0-9a-f]+)$/$1 . $name->(hex($2))/e;
		push @blocks, [] if $line =~ /^unreferenced object/ || !@blocks;
		push @{$blocks[-1]}, $line;
	}
	failure('memory was leaked: ' . shift(@$_), @$_) for @blocks;
}

# A report whose words nobody here knows still taints the kernel; lockdep and kmemleak
# that switched themselves off prove nothing.
sub check_state {
	my %state = map { split ' ', $_, 2 } slurp('state');
	my $bad = 1 << 5 | 1 << 7 | 1 << 9 | 1 << 14;	# bad page, oops, warning, lockup

	if (!defined $state{tainted} || !defined $state{debug_locks}) {
		failure('the guest left no record of its state');
		return;
	}
	failure("the kernel is tainted: $state{tainted}") if $state{tainted} & $bad && !@splats;
	failure('lockdep switched itself off') if !$state{debug_locks} && !@splats;
}

sub check_end {
	my ($status) = slurp('status');
	my ($done) = slurp('done');
	my @console = slurp('console.log');

	$status = 'unknown' if !defined $status;
	if (!defined $done || $done ne $nonce || $status ne '0') {
		my $from = @console > 15 ? @console - 15 : 0;

		failure("the guest did not finish (exit status $status)",
			@console[$from .. $#console]);
		return;
	}
	failure($_) for slurp('errors');
	check_state();
}

result_lines('KTAP version 1');
read_console();
report_splats();
report_leaks();
check_end();
if ($suites == 0) {
	failure('no suite ran');
} elsif ($expected ne 'any' && $suites != $expected) {
	failure("$suites suites ran, the modules hold $expected");
}
print "$passed passed, $failed failed\n";
exit($failed || !$passed ? 1 : 0);
