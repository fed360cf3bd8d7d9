# Recomputes the goodput table of a results file, to check ccbench by other means:
#
#	awk -f docs/recompute.awk results/loss1pct-....jsonl
#
# It prints each arm's valid trials, mean and sample standard deviation in
# Mbit/s, and its delta to the first arm in percent: the table's figures, unrounded.
# In a matrix a line begins with the arm's condition.

# string is the value of a key, from where it is first seen.
function string(json, key,    at) {
	key = "\"" key "\":\""
	at = index(json, key)
	if (!at)
		return ""
	json = substr(json, at + length(key))
	return substr(json, 1, index(json, "\"") - 1)
}

# condition is what labels say of the factors.
function condition(labels,    f, text) {
	for (f = 1; f <= factors; f++)
		text = text factor[f] "=" string(labels, factor[f]) " "
	return text
}

/^{"type":"header"/ {
	arms = $0
	sub(/.*"arms":\[/, "", arms)
	sub(/\],"baseline".*/, "", arms)
	while (match(arms, /"name":"[^"]*"/)) {
		name[++count] = substr(arms, RSTART + 8, RLENGTH - 9)
		arms = substr(arms, RSTART + RLENGTH)
	}
	if (match($0, /"factors":\["[^]]*"\]/)) {
		factors = split(substr($0, RSTART + 12, RLENGTH - 14), factor, "\",\"")
		rest = substr($0, RSTART + RLENGTH)
	}
	while (match(rest, /[{]"labels":[{][^}]*[}]/)) {
		where[++conditions] = condition(substr(rest, RSTART, RLENGTH))
		rest = substr(rest, RSTART + RLENGTH)
	}
	if (!conditions)
		where[++conditions] = ""
}

/^{"type":"trial"/ && !/"verdict":"INVALID"/ {
	match($0, /"labels":[{][^}]*[}]/)
	labels = substr($0, RSTART, RLENGTH)
	at = condition(labels) string(labels, "arm")
	match($0, /"goodput":[-+.0-9eE]+/)
	value[at, ++n[at]] = substr($0, RSTART + 10, RLENGTH - 10)
}

END {
	for (c = 1; c <= conditions; c++)
		for (a = 1; a <= count; a++)
			row(where[c] name[a], a == 1)
}

function row(at, first,    i, sum, squares, mean) {
	if (first)
		base = 0
	for (i = 1; i <= n[at]; i++)
		sum += value[at, i]
	if (n[at] < 2) {
		print at, n[at] + 0, "too few valid trials"
		return
	}
	mean = sum / n[at]
	for (i = 1; i <= n[at]; i++)
		squares += (value[at, i] - mean) ^ 2
	if (first)
		base = mean
	printf "%s %d %.15g %.15g ", at, n[at], mean / 1e6, sqrt(squares / (n[at] - 1)) / 1e6
	if (base)
		printf "%.15g\n", 100 * (mean / base - 1)
	else
		print "no delta"
}
