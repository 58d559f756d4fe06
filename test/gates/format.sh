#!/bin/bash
# Are the C files laid out as .clang-format says? `make format` mends it.
. "$(dirname "$0")/lib.sh"
need clang-format

status=0
while IFS= read -r file; do
	clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || {
		echo "$file is not laid out as .clang-format says"
		status=1
	}
done < <(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]')
exit $status
