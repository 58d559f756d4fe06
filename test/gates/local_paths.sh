#!/bin/bash
# Does a file name a place that exists on one machine only: a home directory, a local package registry?
. "$(dirname "$0")/lib.sh"

pattern='(^|[^A-Za-z0-9_.$}/-])/(home|root|Users|work)/[A-Za-z0-9._]'
pattern+='|(registry|index-url|proxy|mirror)[^ ]*[ =:]+.{0,12}(localhost|127\.0\.0\.1)'

found=$(files '*' | grep -Ev '^test/(gates/local_paths\.sh|fuzz/corpus/)' |
	xargs -r -d '\n' grep -nHIE -- "$pattern" || true)
if [ -n "$found" ]; then
	echo "Paths or registries of one machine:"
	echo "$found"
	exit 1
fi
