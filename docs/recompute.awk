# Recomputes the goodput table of a results file, to check ccbench by other means:
#
#	awk -f docs/recompute.awk results/loss1pct-....jsonl
#
# It prints each arm's valid trials, mean and sample standard deviation in
# Mbit/s, and its delta to the first arm in percent: the table's figures, unrounded.
/^{"type":"header"/ {
	arms = $0
	sub(/.*"arms":\[/, "", arms)
	sub(/\],"baseline".*/, "", arms)
	while (match(arms, /"name":"[^"]*"/)) {
		name[++count] = substr(arms, RSTART + 8, RLENGTH - 9)
		arms = substr(arms, RSTART + RLENGTH)
	}
}
/^{"type":"trial"/ && !/"verdict":"INVALID"/ {
	match($0, /"arm":"[^"]*"/)
	arm = substr($0, RSTART + 7, RLENGTH - 8)
	match($0, /"goodput":[-+.0-9eE]+/)
	value[arm, ++n[arm]] = substr($0, RSTART + 10, RLENGTH - 10)
}
END {
	for (a = 1; a <= count; a++) {
		arm = name[a]
		sum = squares = 0
		for (i = 1; i <= n[arm]; i++)
			sum += value[arm, i]
		if (n[arm] < 2) {
			print arm, n[arm] + 0, "too few valid trials"
			continue
		}
		mean = sum / n[arm]
		for (i = 1; i <= n[arm]; i++)
			squares += (value[arm, i] - mean) ^ 2
		if (a == 1)
			base = mean
		printf "%s %d %.15g %.15g %.15g\n", arm, n[arm], mean / 1e6, sqrt(squares / (n[arm] - 1)) / 1e6, 100 * (mean / base - 1)
	}
}
