#!/bin/bash
# Do the files in packaging/ agree with the source? One version everywhere, no build option that CMake does not have, every
# package that Debian's build needs in the list that `make deps` installs; the Spack recipe is run with a stand-in for Spack,
# the RPM spec is read by rpmspec where that is installed, the script of the Apptainer definition by a shell.
. "$(dirname "$0")/lib.sh"

status=0
breach()
{
	echo "$*"
	status=1
}

mapfile -t all < <(files 'packaging/*' CITATION.cff)
[ ${#all[@]} -gt 0 ] || skip "no packaging yet"
has() { [ -f "$1" ]; }

version=$(sed -n 's/^project(pario VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt 2>/dev/null || true)
same()
{
	has "$1" || return 0
	[ "$2" = "$version" ] || breach "$1: version $2, and CMakeLists.txt has $version"
}
same packaging/debian/changelog "$(sed -n '1s/^pario (\([^)]*\)).*/\1/p' packaging/debian/changelog 2>/dev/null)"
same packaging/rpm/pario.spec "$(sed -n 's/^Version: *//p' packaging/rpm/pario.spec 2>/dev/null)"
same CITATION.cff "$(sed -n 's/^version: *//p' CITATION.cff 2>/dev/null | tr -d '"')"

options=$(sed -n 's/^pario_optional(\([A-Z0-9]*\).*/\1/p' CMakeLists.txt 2>/dev/null || true)
while IFS=: read -r file line option; do
	grep -qxF "${option#PARIO_WITH_}" <<<"$options" || breach "$file:$line: CMake has no option $option"
done < <(grep -HnoE 'PARIO_WITH_[A-Z0-9]+' "${all[@]}" || true)

if has packaging/debian/control; then
	listed=$(grep -v '^[[#]' packaging/debian-packages)
	while read -r name; do
		grep -qxF "$name" <<<"$listed" ||
			breach "packaging/debian/control: packaging/debian-packages does not list $name, which the build needs"
	done < <(sed -n '/^Build-Depends:/,/^[A-Z]/{s/^Build-Depends://;/^[A-Z]/d;p}' packaging/debian/control | tr ',' '\n' |
		awk 'NF && $1 != "debhelper-compat" { print $1 }')
fi

if has packaging/apptainer/pario.def; then
	post=$(sed -n '/^%post/,/^%/{/^%/d;p}' packaging/apptainer/pario.def)
	bash -n <<<"$post" || breach "packaging/apptainer/pario.def: %post is no script"
	# the words that it takes from the list are the packages of the build, and nothing else
	taken=$(bash -c "$(grep -o "sed -n .*grep \." <<<"$post")" | sort)
	wanted=$(awk '/^\[/ { wanted = /build|optional/ } /^[a-z0-9]/ && wanted' packaging/debian-packages | sort)
	[ "$taken" = "$wanted" ] || breach "packaging/apptainer/pario.def: installs other packages than the build needs"
	while read -r section; do
		case $section in
		files | post | test | runscript | labels | help | environment) ;;
		*) breach "packaging/apptainer/pario.def: there is no section %$section" ;;
		esac
	done < <(sed -n 's/^%\([a-z]*\).*/\1/p' packaging/apptainer/pario.def)
fi

if has packaging/rpm/pario.spec && command -v rpmspec >/dev/null; then
	for with in "" "--with mpich"; do
		# shellcheck disable=SC2086 # two words or none
		rpmspec -P $with packaging/rpm/pario.spec >/dev/null || breach "packaging/rpm/pario.spec: rpmspec -P $with failed"
	done
fi

if has packaging/spack/package.py && command -v python3 >/dev/null; then
	python3 test/gates/spack.py packaging/spack/package.py || breach "packaging/spack/package.py: see above"
fi
exit $status
