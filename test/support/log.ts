import { createLogger, type Logger } from '../../src/server/log.ts';

/** A log in memory; nobody reads it unless `write` takes its lines. */
export function openLog(write: (line: string) => void = () => undefined): Logger {
  return createLogger({ level: 'debug', format: 'json', stream: { write } });
}
