# Completion of sonde for fish: sonde completion fish > ~/.config/fish/completions/sonde.fish

function __sonde_complete
    set -l before (commandline --cut-at-cursor --current-process --tokenize)
    set -l typed (commandline --cut-at-cursor --current-token)
    set -l joined (string match --regex -- '^--[^=]*=' "$typed")
    for line in ($before[1] __complete -- $before[2..] "$typed" 2>/dev/null)
        switch $line
            case ':files'
                for path in (__fish_complete_suffix (string replace -- "$joined" '' "$typed") .yaml) (__fish_complete_suffix (string replace -- "$joined" '' "$typed") .yml)
                    string match --quiet --regex -- '(/|\.ya?ml)(\t|$)' "$path"; and printf '%s%s\n' "$joined" "$path"
                end
            case ':any'
                for path in (__fish_complete_path (string replace -- "$joined" '' "$typed"))
                    printf '%s%s\n' "$joined" "$path"
                end
            case '*'
                printf '%s\n' "$line"
        end
    end
end

complete --command sonde --no-files --arguments '(__sonde_complete)'
