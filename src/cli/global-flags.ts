import type { FlagValues } from './flags/flag.ts';
import { choice, text, toggle } from './flags/kinds.ts';
import { OUTPUTS } from './io.ts';

export const TLS_MODES = ['auto', 'verify', 'pin', 'insecure', 'plaintext'] as const;
export type TlsMode = (typeof TLS_MODES)[number];

/** Flags that every command takes, before or after its name. */
export const GLOBAL_FLAGS = {
  server: text('--server <addr>', 'Server: host:port, https://host:port or http://host:port (env SVC_SERVER)'),
  apiKey: text('--api-key <key>', 'API key (env SVC_API_KEY)'),
  apiKeyFile: text('--api-key-file <file>', 'File that holds the API key, - for stdin'),
  output: choice('-o, --output <form>', 'Form of the output (env SVC_OUTPUT)', OUTPUTS),
  tls: choice('--tls <mode>', 'auto goes down from verified TLS; the others fix one (env SVC_TLS)', TLS_MODES),
  noColor: toggle('--no-color', 'No colour (env NO_COLOR)'),
  plain: toggle('--plain', 'Plain lines without redrawing (env SVC_PLAIN)'),
  debug: toggle('--debug', 'Calls and their metadata on stderr, keys masked'),
};

export type GlobalValues = FlagValues<typeof GLOBAL_FLAGS>;
