#!/usr/bin/env bats
# pario report and pario compare, on journals that are always the same (test/browser/journals.py).
load lib

journals() { "$PYTHON" "$PARIO_SOURCE/test/browser/journals.py" . "$@"; }

@test "a run leaves report.html beside its journal" {
	measure "${SMALL[@]}" --operations write
	[ -s "$OUT/report.html" ]
	grep -q '<svg class="plot"' "$OUT/report.html"
	[[ $output == *"$OUT/report.html"* ]]
	pario report "$OUT" --out again.html
	cmp "$OUT/report.html" again.html
}

@test "a quiet run leaves it, too, and says nothing" {
	measure "${SMALL[@]}" --operations write --quiet
	[ -s "$OUT/report.html" ]
	[ -z "$output" ]
}

@test "report names its file, takes run directories and journals, and - is standard output" {
	journals sweep
	run -0 pario report sweep -o one.html
	[ "$output" = one.html ]
	pario report sweep/journal.jsonl --out - >two.html
	cmp one.html two.html
}

@test "the page loads nothing and its policy names the hashes of style and script" {
	journals sweep
	pario report sweep --out page.html
	run ! grep -qiE '(src|href)="?(https?:|//|data:)' page.html
	"$PYTHON" - page.html <<-'END'
		import base64, hashlib, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		policy = re.search('Content-Security-Policy" content="([^"]*)"', page).group(1)
		assert policy.startswith("default-src &#39;none&#39;"), policy
		for tag in ("style", "script"):
		    text = re.search(f"<{tag}>(.*?)</{tag}>", page, re.S).group(1)
		    sum_ = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
		    assert f"{tag}-src 'sha256-{sum_}'" in policy, tag
		assert "unsafe" not in policy
	END
}

@test "suspect and failed results are marked, with their reasons, on top and in pictures" {
	journals sweep
	pario report sweep --out page.html
	grep -q 'What is suspect' page.html
	grep -q '31 % of the file was still cached' page.html
	grep -qE 'class="dot suspect"|<td>suspect' page.html
	grep -qE 'class="dot failed"|<td>failed' page.html
	grep -qE 'cell h[0-9] suspect|<td>suspect' page.html
	grep -q 'pario survey --focus shared,write' page.html
}

@test "b_eff's curve and Table 1 are worked out again from the measurements" {
	journals beff beff_suspect
	pario report beff --out page.html
	"$PYTHON" - page.html "$PARIO_SOURCE/test/browser" <<-'END'
		import json, re, sys
		sys.path.insert(0, sys.argv[2])
		sys.dont_write_bytecode = True
		import tables
		page = open(sys.argv[1], encoding="utf-8").read()
		mean = lambda share: sum(tables.beff_bandwidth(4, share, n) for n in tables.BEFF_LENGTHS) / 21e6
		table = page.split("Table 1", 1)[1].split("</table>", 1)[0]
		seen = [float(v) for v in re.findall('data-v="([^"]*)"', table)]
		top = tables.beff_bandwidth(4, 1, 1 << 20) / 1e6
		value, end = (mean(1) * mean(.5)) ** .5, top * .5 ** .5
		wanted = [4, value, value / 4, 1 << 20, seen[4], end, end / 4, top / 4]
		assert len(seen) == 8 and all(abs(a / b - 1) < 1e-5 for a, b in zip(seen, wanted)), (seen, wanted)
		chart = next(c for c in map(json.loads, re.findall('application/json">(.*?)</script>', page)) if c["x"]["title"] == "message length")
		places = [t[1] for t in chart["x"]["ticks"]]
		steps = [b - a for a, b in zip(places, places[1:])]
		assert len(places) == 21 and max(steps) - min(steps) < 1e-9, places
		assert [s["name"] for s in chart["series"]] == ["rings", "random", "b_eff"]
		assert abs(chart["series"][0]["marks"][12][1] - 500) < 1e-3, chart["series"][0]["marks"][12]
	END
	pario report beff beff_suspect --out page.html
	grep -qE 'class="dot suspect"|<td>suspect' page.html
	# Bytes over time is another number and would stand beside it as a rival.
	run ! grep -q 'All phases\|Scaling with clients' page.html
}

@test "b_eff_io: a diagram for each access method, and the value over partitions" {
	journals beff_io
	pario report beff_io --out page.html
	for title in ': write, 2 processes' ': rewrite, 4 processes' ': read, 4 processes'; do
		grep -q "Bandwidth over chunk size$title</h3>" page.html
	done
	grep -q 'b_eff_io over partitions</h3>' page.html
	grep -q '32k+8' page.html
	grep -q 'calls failed or data were wrong' page.html
	grep -qE 'class="dot suspect"|<td>suspect' page.html
}

@test "timeline, laws and times are drawn from their sheets, suspect ones marked" {
	journals nht1_application overlap madbench2
	pario report nht1_application --out page.html
	grep -q 'T_C = 12 s, T_T = ' page.html
	grep -q 'waiting for a buffer' page.html
	grep -qE 'class="span[^"]* suspect"|<td>suspect' page.html
	pario report overlap --out page.html
	grep -q 'Overhead T_OH per sector against 1/B: read</h3>' page.html
	grep -q 'law of uring' page.html
	grep -qE 'class="dot suspect"|<td>suspect' page.html
	pario report madbench2 --out page.html
	grep -q 'Where the time went</h3>' page.html
	grep -qE 'class="bar[^"]* suspect"' page.html
}

@test "sheets that make no sense cost their pictures, not the report" {
	journals bent
	pario report bent --out page.html
	grep -q '</html>' page.html
}

@test "several runs stand side by side under their labels" {
	journals sweep faster
	pario report sweep faster --label 'old disk,new disk' --out page.html
	grep -q '<th scope="col">old disk</th><th scope="col">new disk</th>' page.html
	grep -q 'write, new disk' page.html
}

@test "more labels than runs are refused" {
	journals sweep
	run -2 --separate-stderr pario report sweep --label a,b --out page.html
	one_sentence
	[ ! -e page.html ]
}

@test "anonymize removes hosts, users and paths" {
	journals sweep
	pario report sweep --out plain.html
	grep -q node17 plain.html
	pario report sweep --anonymize --out page.html
	run ! grep -qE 'node17|anna|/scratch|10\.0\.0\.1|OMPI_MCA' page.html
	grep -q lustre page.html
	grep -q '31 % of the file was still cached' page.html
}

@test "anonymize finds them in sentences, options, notes, with spaces, domains and addresses" {
	journals secret
	pario report secret --out plain.html
	grep -q anna plain.html
	pario report secret --anonymize --out page.html
	run grep -oE '.{20}(anna|boris|node17|n03|n04|filer3|lab\.example|/scratch|/u/|my data|10\.1\.2\.3|fe80).{20}' page.html
	[ -z "$output" ]
	# What the numbers need is still there, also where a directory is called like a choice.
	grep -q 'pattern=random transfer_size=1k' page.html
	grep -q 'ENOSPC' page.html
	grep -q 'was slow' page.html
	grep -q 'hard' page.html
}

@test "hostile names are inert" {
	journals hostile
	pario report hostile --out page.html
	[ "$(grep -o '<script>' page.html | wc -l)" -eq 1 ]
	run ! grep -q '<!--' page.html
	run ! grep -qP '[\x{202a}-\x{202e}\x{2066}-\x{2069}]|\x1b' page.html
	grep -qF '&lt;/script&gt;&lt;script&gt;alert(1)' page.html
}

@test "a report of nothing, of no journal or of a damaged one is refused" {
	run -2 --separate-stderr pario report
	one_sentence
	run -3 --separate-stderr pario report nowhere
	says nowhere
	journals sweep
	sed -i '3s/write/wrote/' sweep/journal.jsonl
	run -3 --separate-stderr pario report sweep --out page.html
	says "line 3"
	[ ! -e page.html ]
}

@test "a run that was cut short is reported as far as it came, and says so" {
	journals sweep
	head -c 60000 sweep/journal.jsonl >cut.jsonl
	pario report cut.jsonl --out page.html
	grep -q 'cut short' page.html
}

@test "a report that cannot be written says why" {
	journals sweep
	run -3 --separate-stderr pario report sweep --out none/page.html
	one_sentence
	says ENOENT
}

@test "a test's own number is shown instead of bytes over time" {
	journals headline
	pario report headline --out page.html
	grep -q 'exchange <span class="hint">b_eff</span>' page.html
	grep -q '<b>4 000 MB/s</b>' page.html
	run ! grep -q '77 MiB/s' page.html
	grep -q '^headline,beff,,exchange,pass,2,1,4000,MB/s,' page.html
}

@test "a definition that says how often it is measured gets no advice to do it more often" {
	journals headline_once few
	pario report headline_once --out page.html
	run ! grep -q 'fewer than five repetitions' page.html
	run ! grep -q 'numbers are steady' page.html
	pario report few --out page.html
	grep -q 'fewer than five repetitions' page.html
}

@test "a run's result lines show the test's own number, and its journal says which it is" {
	OUT=$PWD/out
	run -0 pario run interactive --phases find -n 10 --rounds 1 --repetitions 1 --np 1 --dir . --output "$OUT"
	[[ $output =~ cold_median_s\ +[0-9.]+\ (s|ms|us) ]]
	[ "$(jq -r 'select(.kind == "result") | .headline + " " + .better' "$OUT/journal.jsonl")" = "cold_median_s lower" ]
}

@test "compare: where less is better, more is slower" {
	journals cost cost_more
	run -0 pario compare cost cost_more
	[[ $output == *"beff exchange cost, 2 clients, less is better"* ]]
	[[ $output == *"4 000 MB/s"*"6 000 MB/s"*"1.50"*"slower"* ]]
	run -1 pario compare cost cost_more --threshold 0.95
	run -0 pario compare cost_more cost --threshold 0.95
	[[ $output == *"1 faster"* ]]
}

@test "compare: two different numbers of the same phase are not compared" {
	journals headline cost
	run -2 --separate-stderr pario compare headline cost
	one_sentence
	says "the number of one is b_eff, that of the other cost"
}

@test "compare: the same numbers again, of one run each, are no worse, and a fifth could hide between them" {
	journals sweep again
	run -0 pario compare sweep again --threshold 0.95
	echo "$output"
	[[ $output == *"63 cannot be decided, 1 no number in either. None is worse"* ]]
}

@test "compare: a faster run is faster, and the other way round a regression with exit code 1" {
	journals sweep faster
	run -0 pario compare sweep faster --threshold 0.95
	[[ $output == *"63 faster"* ]]
	run -1 pario compare faster sweep --threshold 0.95
	[[ $output == *"63 slower"* ]]
	run -0 pario compare faster sweep
	run -0 pario compare faster sweep --threshold 0.7
}

@test "compare: the ratio of the numbers and its interval" {
	journals sweep faster
	run -0 pario compare sweep faster
	grep -qE ' 1\.30 \[1\.[01][0-9], 1\.5[0-9]\] +faster' <<<"$output"
}

@test "compare refuses runs that differ in a parameter and names it" {
	journals sweep other
	run -2 --separate-stderr pario compare sweep other
	one_sentence
	says 'api is "posix" in one and "mpiio" in the other'
	run -0 pario compare sweep other --across api
	[[ $output == *"48 points are only in the first run, 0 only in the second."* ]]
}

@test "compare refuses other tests" {
	journals sweep tile
	run -2 --separate-stderr pario compare sweep tile
	one_sentence
	says tile
}

@test "compare: what cannot be decided is said, and what would decide it" {
	journals sweep few
	run -0 pario compare sweep few
	cp -r few fewer
	run -0 pario compare few fewer --threshold 0.95
	[[ $output == *"cannot be decided"* ]]
	[[ $output == *"runs of each side"*"pario compare --run"* ]]
}

@test "compare writes a page" {
	journals sweep faster
	run -0 pario compare sweep faster --out page.html --anonymize
	grep -q 'Is it faster?' page.html
	run ! grep -qE 'node17|anna' page.html
}

@test "compare wants two runs" {
	journals sweep
	run -2 --separate-stderr pario compare sweep
	one_sentence
}

@test "NHT-1: larger and smaller than asked for are told apart, T_C is the best of all repetitions" {
	journals nht1_application nht1_large nht1_one_file
	pario report nht1_application -o page.html
	grep -q 'smaller than NHT-1 asks for' page.html
	pario report nht1_one_file -o page.html
	grep -q 'not the one file NHT-1 asks for' page.html
	run ! grep -q 'er than NHT-1 asks for' page.html
	pario report nht1_large -o page.html
	grep -q 'larger than NHT-1 asks for' page.html
	run ! grep -q 'smaller than NHT-1' page.html
	# T_T is 17.1 s; 12 s without writing in the first repetition, 10 s in the second
	[ "$(grep -c 'T_C = 10 s' page.html)" -eq 2 ]
	grep -qE '^[^,]*,nht1_application,,application,pass,4,1,' page.html
	grep -qE '^[^,]*,nht1_application,,application,pass,4,2,' page.html
	run ! grep -qE '^[^,]*,nht1_application,,application,pass,4,0,' page.html
}
