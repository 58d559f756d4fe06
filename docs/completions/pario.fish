# The program itself says what may stand at the cursor.
function __pario_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lead (string match -r -- '^--[^=]+=' "$word"; or echo '')
    set -l rest (string replace -- "$lead" '' "$word")
    for line in (eval $words[1] help --complete (string escape -- $words[2..] "$word") 2>/dev/null)
        switch $line
            case :directory
                printf '%s\n' $lead(__fish_complete_directories "$rest")
            case :file
                printf '%s\n' $lead(__fish_complete_path "$rest")
            case '*'
                echo $line
        end
    end
end

complete -c pario -f -a '(__pario_complete)'
