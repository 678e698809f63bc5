import { required } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { choiceError } from '../kit/flags/kinds.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof SHELLS)[number];

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
const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

export const completion = loneCommand({
  notes: [
    'It completes commands, flags and their values, and asks the server for names; ids are offered to what has no name of its own, and once one has been begun.',
    'The server is asked only over a connection that was asked for, or that the profile remembers: nothing is sent without TLS, or under a certificate that is not verified, before a call has told of that.',
    'bash: add to ~/.bashrc: `source <(svc completion bash)`',
    'zsh: `svc completion zsh > _svc` in a folder of $fpath, or add to ~/.zshrc below compinit: `source <(svc completion zsh)`',
    'fish: `svc completion fish > ~/.config/fish/completions/svc.fish`',
    'PowerShell: add to $PROFILE: `svc completion powershell | Out-String | Invoke-Expression`',
  ].join('\n\n'),
  args: { shell: { ...required('shell', 'Shell'), choices: SHELLS } },
  flags: {},
  examples: [
    'completion bash > /etc/bash_completion.d/svc',
    'completion zsh > ~/.zfunc/_svc',
    'completion fish > ~/.config/fish/completions/svc.fish',
  ],
  async run({ io }, { args }) {
    const shell = SHELLS.find((name) => name === args.shell.toLowerCase());
    if (shell === undefined) throw choiceError('The shell', SHELLS, args.shell);
    await io.stdout.write(SCRIPTS[shell]);
    return undefined;
  },
});
