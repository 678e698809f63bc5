import { EXIT } from '../shared/exit-codes.ts';
import { databaseText } from './banner.ts';
import { createLogger } from './log.ts';
import type { ServerIo } from './serve.ts';
import type { ParsedFlags } from './settings/given.ts';
import { readSettings } from './settings/load.ts';
import { printConfig } from './settings/print.ts';
import { SettingsError } from './settings/settings-error.ts';
import { VERSION } from './version.ts';

interface ServeOptions {
  flags: ParsedFlags;
  env: Readonly<Record<string, string | undefined>>;
  /** `name=value` of every `-D` option. */
  properties?: readonly string[];
  check?: boolean;
  /** Print the configuration in this form and end. */
  printConfig?: 'table' | 'json' | undefined;
}

/**
 * Runs `svc serve` until a signal ends it. Resolves with the exit code.
 *
 * The server itself is loaded after its settings: its modules use the crypto library while they load, which must be in
 * FIPS mode before that. Loading takes half a second, so the start is logged first.
 */
export async function runServer(
  { flags, env, properties = [], check = false, printConfig: form }: ServeOptions,
  io: ServerIo,
): Promise<number> {
  try {
    const read = readSettings({ flags, env, properties });
    const { logLevel: level, logFormat: format } = read.settings;
    const log = createLogger({ level, format, stream: io.stderr });
    const isToServe = !check && form === undefined && read.problems.length === 0;
    if (isToServe) log.info(`svc ${VERSION} starts on ${databaseText(read.settings)}`);
    const { prepare } = await import('./prepare.ts');
    const preparing = prepare(read, log);
    // The key of a certificate is made on a thread of its own meanwhile.
    const [prepared, server] = await Promise.all([preparing, isToServe ? import('./serve.ts') : undefined]);
    try {
      if (server !== undefined) return await server.serve(read, prepared, { io, log });
      io.stdout.write(form === undefined ? 'The configuration is valid.\n' : printConfig(read, form));
      return EXIT.ok;
    } finally {
      await prepared.postProcessors.close();
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    io.stderr.write(`${error.message}\n`);
    return EXIT.configuration;
  }
}
