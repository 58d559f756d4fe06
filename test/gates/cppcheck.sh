#!/bin/bash
# What does cppcheck find? What it cannot know is suppressed in the source, beside its reason; everywhere: casts
# of a member's address, since option and field tables reach members by their offset.
. "$(dirname "$0")/lib.sh"
need cppcheck

state=${CHECK_DIR:-build/check}/cppcheck
mkdir -p "$state"
files 'src/*.c' 'bench/*.c' | cppcheck --enable=warning,performance,portability --inline-suppr \
	--error-exitcode=1 --std=c11 --quiet -Isrc --cppcheck-build-dir="$state" \
	--suppress=missingIncludeSystem --suppress=invalidPointerCast --file-list=-
