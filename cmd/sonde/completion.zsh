#compdef sonde
# Completion of sonde for zsh: sonde completion zsh > a folder of $fpath/_sonde

_sonde() {
  local line paths='' typed="${words[CURRENT]}"
  local -a found
  for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :*) paths="$line" ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}:+:${line#*$'\t'}}") ;;
    esac
  done
  ((${#found})) && _describe -V sonde found
  [[ -n $paths ]] || return
  compset -P '--*='
  case $paths in
    :files) _files -g '*.(yaml|yml)(-.)' ;;
    *) _files ;;
  esac
}

if [[ $funcstack[1] == _sonde ]]; then
  _sonde "$@"
else
  compdef _sonde sonde
fi
