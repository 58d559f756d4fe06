#!/usr/bin/env bats
# CSV, JSON and OpenMetrics: what other programs read.

load lib

# rows FILE: each row of a CSV as a JSON object, read by python's own reader.
rows()
{
	"$PYTHON" -c 'import csv, json, sys
for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")): print(json.dumps(row))' "$1"
}

@test "run --csv has a row per result, with the journal's numbers and sizes in bytes" {
	transfer --api null --np 2 --transfer_size 64k,1m --block_size 1m --repetitions 2 --csv all.csv --quiet
	[ "$(rows all.csv | wc -l)" = "$(jq -c 'select(.kind == "result")' "$OUT/journal.jsonl" | wc -l)" ]
	[ "$(rows all.csv | jq -r '.["param.transfer_size"]' | sort -u | tr '\n' ' ')" = "1048576 65536 " ]
	[ "$(rows all.csv | jq '.rate_mib_s | tonumber' | sort)" = "$(jq 'select(.kind == "result").rate_mib_s' "$OUT/journal.jsonl" | sort)" ]
	[ "$(rows all.csv | jq -r .clients | sort -u)" = 2 ]
	pario report "$OUT" --csv - >again.csv
	cmp all.csv again.csv
}

@test "text in a CSV is quoted, and a file of another's is not replaced" {
	transfer "${SMALL[@]}" --api null --quiet --label 'a "b", c'
	pario report "$OUT" --csv x.csv
	[ "$(rows x.csv | jq -r .label | sort -u)" = 'a "b", c' ]
	pario report "$OUT" --csv x.csv
	echo mine >y.csv
	run -2 --separate-stderr pario report "$OUT" --csv y.csv
	[ "$(cat y.csv)" = mine ]
}

@test "compare writes its points as JSON and CSV" {
	for run in a b; do
		pario run transfer --dir "$DATA" --output $run --api null --np 1 --block_size 1m --repetitions 5 --quiet
	done
	pario compare a b --csv points.csv --json >points.json
	[ "$(jq '.points | length' points.json)" = "$(rows points.csv | wc -l)" ]
	[ "$(jq '.points[0].ratio' points.json)" = "$(rows points.csv | jq -s '.[0].ratio | tonumber')" ]
	[ "$(jq -r '.points[0].clients' points.json)" = 1 ]
	jq -e '.first.run != .second.run and .points[0].verdict != ""' points.json
}

@test "OpenMetrics is understood by another reader, whatever the labels hold" {
	transfer --api null --np 2 --transfer_size 64k,1m --block_size 1m --repetitions 2 --quiet --label 'back\slash "quoted"'
	pario report "$OUT" --openmetrics one.prom
	[ "$("$PYTHON" "$CLI/export.py" one.prom)" -gt 10 ]
	grep -q 'label="back\\\\slash \\"quoted\\""' one.prom
	[ "$(grep '^pario_rate' one.prom | grep -c 'run=')" = 0 ]
	pario import "$PARIO_SOURCE/test/data/import/mdtest.txt" --output md
	pario report "$OUT" md --openmetrics - >two.prom
	"$PYTHON" "$CLI/export.py" two.prom
	grep -q '^pario_number{test="mdtest",phase="file stat".*unit="ops/s"} 195104.55' two.prom
	value=$(sed -n 's/^pario_rate_bytes_per_second.* //p' one.prom | head -1)
	jq -e --argjson v "$value" -s '[.[] | select(.kind == "result") | .rate_mib_s * 1048576] | min <= $v and max >= $v' "$OUT/journal.jsonl"
}

@test "--print_sbatch prints a script that does the same run" {
	PARIO_BLOCK_SIZE=2m run -0 pario run transfer --dir "$DATA" --output "$OUT" --api null --clients 1,2 --transfer_size 1m \
		--repetitions 1 --label "it's quoted" --print_sbatch
	grep -qx '#SBATCH --ntasks=2' <<<"$output"
	[[ $output != *print_sbatch* ]]
	[ ! -e "$OUT" ]
	timeout -k 5 "$LIMIT_S" bash <<<"$output"
	[ "$(jq -r 'select(.kind == "begin") | .label + " " + .params.block_size.value' "$OUT/journal.jsonl")" = "it's quoted 2m" ]
	[ "$(jq -r 'select(.kind == "result").clients' "$OUT/journal.jsonl" | sort -u | tr '\n' ' ')" = "1 2 " ]
}

@test "--print_sbatch without a number of clients does not ask for the cores of this machine" {
	run -0 pario run transfer --dir "$DATA" --api null --print_sbatch
	[[ $output == *"#SBATCH --nodes=1"* ]]
	[[ $output != *"#SBATCH --ntasks="* ]]
}

@test "the program for pandas in the documents reads results and journals" {
	"$PYTHON" -c 'import pandas' 2>/dev/null || skip "python3-pandas is not installed"
	# one client, so that none of the results is suspect
	pario run transfer --dir "$DATA" --output before --api null --delay 1000 --np 1 --transfer_size 64k,1m --block_size 1m \
		--repetitions 3 --quiet
	pario report before --csv results.csv
	# shellcheck disable=SC2016 # the marks of a block
	sed -n '/^```python$/,/^```$/{/^```/d;p}' "$PARIO_SOURCE/docs/export.md" >reader.py
	[ -s reader.py ]
	echo 'print("median", repr(good[(good.phase == "write") & (good["param.transfer_size"] == 65536)].number.median()))
print(str(table["time"].dtype), len(table), sorted(set(table.clients)))' >>reader.py
	run -0 --separate-stderr "$PYTHON" reader.py
	[ -z "$stderr" ]
	[ "$(grep -cE '(65536|1048576) +[0-9.]+$' <<<"$output")" -eq 4 ]
	[ "$(grep -cE '^[0-9]+ +(write|read) +1 +[0-9.]+ +[0-9.]+ +[0-9.]+' <<<"$output")" -eq 12 ]
	[ "${lines[-1]}" = "datetime64[ns, UTC] 12 [1]" ]
	wanted=$(jq -s '[.[] | select(.phase == "write" and .params.transfer_size == "64k").rate_mib_s] | sort[1]' before/journal.jsonl)
	"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a - b) < 1e-6 * a' "$wanted" \
		"$(sed -n 's/^median //p' <<<"$output")"
}

@test "the program for R in the documents reads results and journals" {
	Rscript -e 'library(jsonlite)' >/dev/null 2>&1 || skip "R and its package jsonlite are not installed"
	pario import "$PARIO_SOURCE/test/data/import/ior.txt" --output before
	pario report before --csv results.csv
	# shellcheck disable=SC2016 # the marks of a block
	sed -n '/^```r$/,/^```$/{/^```/d;p}' "$PARIO_SOURCE/docs/export.md" >reader.R
	echo 'print(table)' >>reader.R
	run -0 --separate-stderr Rscript reader.R
	# a removal has a time and no rate
	grep -qE ' remove +4 +NA$' <<<"$output"
	grep -qE ' write +4 +812\.44$' <<<"$output"
}
