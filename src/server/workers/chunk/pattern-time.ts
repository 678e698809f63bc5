import { runInNewContext } from 'node:vm';
import { isObject } from '../../../shared/json/parse.ts';
import { ExtractionError } from '../errors.ts';
import type { ChunkingConfig } from './config.ts';

/**
 * Timeout of splitting by regular expressions: ordinary ones need 0.1 s for a million characters. The engine backtracks, so
 * one such as `(a+)+$` takes exponential time: years for forty characters that nearly match.
 */
const BASE_MS = 2000;
/** Counting the tokens of a million characters of random words takes 10 s. */
const MS_PER_MILLION = { CHARACTER_COUNT: 2000, TOKEN_COUNT: 15_000 };

/**
 * Runs `cut` on a text of `characters` characters. If the config has patterns, `cut` is stopped after a timeout and
 * ExtractionError is thrown.
 */
export function withinPatternTime<T>(config: ChunkingConfig, characters: number, cut: () => T): T {
  if (!('recursive' in config) || !config.recursive.separatorIsRegex) return cut();
  const perMillion = MS_PER_MILLION[config.recursive.lengthMeasurement];
  const timeout = BASE_MS + Math.round((perMillion * characters) / 1_000_000);
  try {
    return runInNewContext('cut()', { cut }, { timeout }) as T;
  } catch (error) {
    // The error comes from another context, so `instanceof Error` is false.
    if (!isObject(error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const seconds = Math.round(timeout / 1000);
    const message = `Cutting with the separator patterns took longer than ${seconds} s, the limit for content of this size: use patterns without nested repetition, or plain separators`;
    throw new ExtractionError(message, { cause: error });
  }
}
