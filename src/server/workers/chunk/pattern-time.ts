import { runInNewContext } from 'node:vm';
import { isObject } from '../../../shared/json/is-object.ts';
import { ExtractionError } from '../errors.ts';
import type { ChunkingConfig } from './config.ts';

/**
 * What cutting by patterns may take: ordinary patterns need 0.1 s for a million characters. The engine backtracks, so
 * that one such as `(a+)+$` would take longer than anybody lives on forty characters that nearly match.
 */
const BASE_MS = 2000;
/** A million characters of random words have their tokens counted in 10 s. */
const MS_PER_MILLION = { CHARACTER_COUNT: 2000, TOKEN_COUNT: 15_000 };

/**
 * Runs the cutting of a text of so many characters, and stops it after its time when the config has patterns. Throws
 * ExtractionError then.
 */
export function withinPatternTime<T>(config: ChunkingConfig, characters: number, cut: () => T): T {
  if (!('recursive' in config) || !config.recursive.separatorIsRegex) return cut();
  const perMillion = MS_PER_MILLION[config.recursive.lengthMeasurement];
  const timeout = BASE_MS + Math.round((perMillion * characters) / 1_000_000);
  try {
    return runInNewContext('cut()', { cut }, { timeout }) as T;
  } catch (error) {
    // Not an instance of this context's Error.
    if (!isObject(error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const seconds = Math.round(timeout / 1000);
    const message = `Cutting with the separator patterns took longer than ${seconds} s, the limit for content of this size: use patterns without nested repetition, or plain separators`;
    throw new ExtractionError(message, { cause: error });
  }
}
