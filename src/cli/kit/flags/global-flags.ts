import { OUTPUTS } from '../output/io.ts';
import type { FlagSet, FlagValues } from './flag.ts';
import { choice, text, toggle } from './kinds.ts';

export const TLS_MODES = ['auto', 'verify', 'pin', 'insecure', 'plaintext'] as const;
export type TlsMode = (typeof TLS_MODES)[number];

/** Flags that every command takes, before or after its name. */
export const GLOBAL_FLAGS = {
  server: { ...text('--server <addr>', 'host:port, https://host:port or http://host:port'), variable: 'SVC_SERVER' },
  apiKey: { ...text('--api-key <key>', 'API key'), variable: 'SVC_API_KEY' },
  apiKeyFile: { ...text('--api-key-file <file>', 'File with the API key, - for stdin'), completes: 'files' },
  profile: {
    ...text('--profile <name>', 'Profile of the config file'),
    completes: 'profiles',
    variable: 'SVC_PROFILE',
  },
  output: { ...choice('-o, --output <form>', 'Form of the output', OUTPUTS), variable: 'SVC_OUTPUT' },
  tls: {
    ...choice('--tls <mode>', 'How to connect; auto prefers verified TLS and says what it had to accept', TLS_MODES),
    variable: 'SVC_TLS',
  },
  noColor: { ...toggle('--no-color', 'No color'), variable: 'NO_COLOR' },
  plain: { ...toggle('--plain', 'Plain lines without redrawing'), variable: 'SVC_PLAIN' },
  noPager: toggle('--no-pager', 'No pager, whatever SVC_PAGER and PAGER say'),
  wide: toggle('--wide', 'Tables with whole ids, exact times and every column'),
  debug: toggle('--debug', 'Show calls and their metadata on stderr, keys masked'),
} satisfies FlagSet;

export type GlobalValues = FlagValues<typeof GLOBAL_FLAGS>;
