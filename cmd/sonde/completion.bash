# Completion of sonde for bash: source <(sonde completion bash)

_sonde() {
  # The words as they were typed, since bash ends one at each = and : too. joined is what bash takes to be
  # before the word that it will replace.
  local rest="${COMP_LINE:0:COMP_POINT}" words=() joined='' word gap i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap="${rest%%[![:space:]]*}"
    rest="${rest#"$gap"}"
    word="${COMP_WORDS[i]}"
    ((i < COMP_CWORD)) || word="$rest"
    rest="${rest#"$word"}"
    if ((i == 0)) || [[ -n $gap || -z ${words[*]} ]]; then
      words+=("$word")
      joined=''
    else
      joined="${words[${#words[@]} - 1]}"
      words[${#words[@]} - 1]+="$word"
    fi
  done
  [[ $word != [=:] ]] || joined+="$word"
  local typed="${words[${#words[@]} - 1]}" line paths=''
  local cur="${typed#"$joined"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) paths="$line" ;;
      *) line="${line%%$'\t'*}" && COMPREPLY+=("${line#"$joined"}") ;;
    esac
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
  [[ -n $paths ]] || return 0
  compopt -o filenames -o default 2>/dev/null
  while IFS= read -r line; do
    [[ $paths != :files || -d $line || $line == *.yaml || $line == *.yml ]] && COMPREPLY+=("$line")
  done < <(compgen -f -- "$cur")
  return 0
}

complete -F _sonde sonde
