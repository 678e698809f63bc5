import { SCRIPTS, SHELLS } from '../completion/scripts.ts';
import { required } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { choiceError } from '../kit/flags/kinds.ts';

export const completion = command({
  name: 'completion',
  summary: 'Print a script that completes svc in a shell',
  notes: [
    'It completes commands, flags and their values, and asks the server for names; ids are offered to what has no name of its own, and once one has been begun.',
    'The server is asked only over a connection that was asked for, or that the profile remembers: nothing is sent without TLS, or under a certificate that nobody vouches for, before a call has told of that.',
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
