#!/bin/bash
# Misspelt words in text and comments. Words that are right are listed in .codespellrc.
. "$(dirname "$0")/lib.sh"
need codespell

files '*' | grep -Ev '^(test/fuzz/corpus/|web/vendor/|test/browser/node/package-lock|test/trace/symbols$)' | xargs -r -d '\n' codespell
