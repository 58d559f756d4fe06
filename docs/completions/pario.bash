# shellcheck shell=bash
# The program itself says what may stand at the cursor.

_pario()
{
	local lines cur=${COMP_WORDS[COMP_CWORD]}
	[ "$cur" != = ] || cur=
	mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	case ${lines[0]} in
	:directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	:file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*) COMPREPLY=("${lines[@]%%$'\t'*}") ;;
	esac
}

complete -F _pario pario
