import { type ServeFlag, serveFlags } from '../../server/settings/flags.ts';
import type { ParsedFlags } from '../../server/settings/given.ts';
import { camelCase } from '../../shared/name-cases.ts';
import type { CommandBody } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import type { Flag } from '../kit/flags/flag.ts';

/** The command that runs the server. Its flags come from the settings table; the server is loaded when it runs. */
export function serve(): CommandBody {
  const rows = serveFlags();
  return loneCommand({
    notes: 'Every flag but the actions also has an environment variable; a flag wins over its variable.',
    args: {},
    flags: Object.fromEntries(rows.map((row) => [settingKey(row), serveFlag(row)])),
    examples: [
      'serve --embedded',
      'serve --db-url postgresql://svc@db.lan:5432/svc --tls-cert-file server.crt --tls-key-file server.key',
      'serve --embedded --print-config',
    ],
    async run({ io }, { flags }) {
      const { D: properties, check, printConfig, ...settings } = flags;
      const { runServer } = await import('../../server/main.ts');
      const options = {
        flags: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as ParsedFlags,
        env: io.env,
        properties: Array.isArray(properties) ? properties : [],
        check: check === true,
        printConfig: printConfig === true ? (io.isData ? ('json' as const) : ('table' as const)) : undefined,
      };
      // The server writes and goes on; whether its answer could be written counts at the end.
      let written = Promise.resolve();
      const write = (text: string): void => {
        written = written.then(() => io.stdout.write(text));
        written.catch(() => {});
      };
      const code = await runServer(options, { ...io.streams, stdout: { write, isTTY: io.stdoutIsTerminal } });
      // The server's own failure is the one to tell.
      if (code === 0) await written;
      return code;
    },
  });
}

function settingKey({ name, flag }: ServeFlag): string {
  return name ?? camelCase(flag.replace(/^-+/, ''));
}

function serveFlag(row: ServeFlag): Flag<string | boolean | readonly string[] | undefined> {
  const term = row.placeholder === '' ? row.flag : `${row.flag} ${row.placeholder}`;
  return {
    term,
    description: descriptionOf(row),
    group: row.group,
    ...(/file|dir/.test(row.placeholder) ? { completes: 'files' as const } : {}),
    ...(row.variable === undefined ? {} : { variable: row.variable }),
    read: (texts) => {
      const last = texts.at(-1);
      if (last === undefined) return undefined;
      if (row.repeatable) return texts;
      return last === '' && !row.placeholder.startsWith('<') ? true : last;
    },
  };
}

function descriptionOf({ purpose, defaultText }: ServeFlag): string {
  if (defaultText === '') return purpose;
  return `${purpose}; ${defaultText.startsWith('required') ? '' : 'default '}${defaultText}`;
}
