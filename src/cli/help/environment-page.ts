import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import type { Page, Term } from './page.ts';

/** Variables that no flag stands for. */
const OTHERS: readonly Term[] = [
  { term: 'XDG_CONFIG_HOME', text: 'Folder that holds `svc/config.json` with the profiles; default `~/.config`' },
  {
    term: 'SVC_PAGER, PAGER',
    text: 'Program that shows lists, records, contents and help page by page on a terminal, such as `less`; without one, or with `cat`, they are written at once. SVC_PAGER wins over PAGER; set to nothing it switches pages off for svc alone. svc sets `LESS=FRX` for it unless LESS is set',
  },
  { term: 'TERM', text: '`dumb`: no colour, no tables with borders and no redrawing' },
  {
    term: 'FORCE_COLOR, CLICOLOR_FORCE',
    text: 'Set to `1`: colour in pipes and files too. `--no-color` wins over NO_COLOR, which wins over FORCE_COLOR, which wins over CLICOLOR_FORCE',
  },
  { term: 'CI', text: 'Set to anything: nothing is redrawn, progress is one line a step' },
  { term: 'ACCESSIBLE, INK_SCREEN_READER', text: 'Set to `1`: the same as SVC_PLAIN, for screen readers' },
];

export function environmentPage(): Page {
  const ofFlags = Object.values(GLOBAL_FLAGS).flatMap(({ term, description, ...flag }) =>
    'variable' in flag ? [{ term: flag.variable, text: `\`${term}\`: ${description}` }] : [],
  );
  return {
    name: 'svc help environment',
    summary: 'Environment variables of svc',
    usage: [],
    sections: [
      {
        title: 'In place of flags',
        blocks: [
          { kind: 'terms', rows: ofFlags },
          {
            kind: 'text',
            text: 'A flag wins over its variable, the variable over the profile, and the profile over the default.',
          },
          {
            kind: 'text',
            text: 'The API key of a profile belongs to the server of that profile. When `--server` or `SVC_SERVER` names another one it is sent there only if `--profile` names the profile, or if you say so when asked; else the call is refused with exit code 78. Commands that need no key, such as `svc health`, send none. A TLS mode `insecure` or `plaintext` of the profile does not count there either, unless `--profile` names it.',
          },
          {
            kind: 'text',
            text: 'An empty variable counts as none, but for SVC_PAGER. To see every value and where it comes from: `svc config`',
          },
        ],
      },
      { title: 'Terminal and folders', blocks: [{ kind: 'terms', rows: OTHERS }] },
      {
        title: 'Server',
        blocks: [
          {
            kind: 'text',
            text: 'Every setting of the server has a variable too. `svc serve --help` lists them with their flags, `svc serve --print-config` shows every value and where it comes from.',
          },
        ],
      },
    ],
  };
}
