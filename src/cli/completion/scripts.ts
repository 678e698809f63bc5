export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# bash completion of svc. To load it: source <(svc completion bash)
_svc_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("$line")
  done < <(svc __complete --bash "\${COMP_WORDS[COMP_CWORD]}" "$COMP_TYPE" "\${COLUMNS:-80}" -- \\
    "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o nosort -F _svc_complete svc 2>/dev/null || complete -F _svc_complete svc
`;

const ZSH = `#compdef svc
# zsh completion of svc. To load it: source <(svc completion zsh), below compinit
_svc() {
  local -a entries
  local line value text tab=$'\\t'
  for line in "\${(@f)$(svc __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then
      compset -P '*='
      _files
      return
    fi
    [[ -z $line ]] && continue
    value=\${line%%$tab*}
    text=\${line#$value}
    # _describe takes what stands behind the first colon for the description.
    value=\${value//\\\\/\\\\\\\\}
    value=\${value//:/\\\\:}
    entries+=("$value\${text:+:\${text#$tab}}")
  done
  (( \${#entries} )) && _describe -V 'svc' entries
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;

const FISH = `# fish completion of svc. To load it: svc completion fish | source
function __svc_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    # A quote that is still open does not unescape.
    set -l current (string unescape -- $typed; or string replace -r '^["\\']' '' -- $typed)
    set -l lines (svc __complete -- $words "$current" 2>/dev/null)
    if test "$lines[1]" = ':files'
        __fish_complete_path $current
    else
        printf '%s\\n' $lines
    end
end
complete -c svc -f -k -a '(__svc_complete)'
`;

const POWERSHELL = `# PowerShell completion of svc. To load it: svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    $current = $wordToComplete.Trim([char[]]@([char]39, [char]34))
    # An empty argument does not reach a program in older versions.
    $ask = if ($current -eq '') { @('--next', '--') + $words } else { @('--') + $words + @($current) }
    $lines = @(svc __complete @ask 2>$null)
    if ($lines.Count -gt 0 -and $lines[0] -eq ':files') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)
        return
    }
    foreach ($line in $lines) {
        $value, $text = $line -split [char]9, 2
        $shown = if ($value -match '[^\\w@%+=:,./-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($shown, $value, 'ParameterValue', $text)
    }
}
`;

/** The completion script of each shell. They know nothing of the commands: `svc __complete` answers. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
