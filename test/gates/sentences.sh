#!/bin/bash
# Do error sentences begin alike? They follow "pario: " and begin in lower case, but for a name (CONTRIBUTING.md, Style).
. "$(dirname "$0")/lib.sh"

names='MPI|HDF5|PnetCDF|ScaLAPACK|MADbench2|IO500|BT\b|NAS\b'
err='\(\s*&?[\w>.()-]+,\s*[^",;]*,\s*'
hint='(?:NULL|[a-z_]+(?:\([^()]*\))?|(?:"(?:[^"\\]|\\.)*"\s*)+),\s*'
status=0
while read -r file; do
	grep -PzoH "pario_(?:err_set${err}|library_mpi_fail${err}|err_sys${err}${hint})\"(?!$names)[A-Z](?:[^\"\\\\]|\\\\.)*\"" "$file" |
		tr '\0\n' '\n ' && status=1
done < <(files 'src/*.c' 'src/*.h' | xargs -r -d '\n' grep -lE 'pario_(err_set|err_sys|library_mpi_fail)\(')
exit $status
