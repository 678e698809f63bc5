import type { Violation } from '../../../shared/errors.ts';
import { codePointLength } from '../../../shared/text.ts';
import type { ChunkingConfig, RecursiveChunking, SentenceChunking } from './config.ts';

const MAX_CHUNK_SIZE = 100_000;
const MAX_SEPARATORS = 32;
const MAX_SEPARATOR_CHARACTERS = 1000;

/**
 * The violations of a chunking config whose fields are all set; [] when it is valid. Paths are relative to the config,
 * e.g. `recursive.separators[2]`: the caller prepends its own field name.
 */
export function chunkingViolations(config: ChunkingConfig): Violation[] {
  if ('recursive' in config) return recursiveViolations(config.recursive);
  if ('sentence' in config) return sentenceViolations(config.sentence);
  return [];
}

/** Why a separator pattern is invalid; undefined when it is valid. */
export function separatorPatternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function recursiveViolations(config: RecursiveChunking): Violation[] {
  const { chunkSize, chunkOverlap, separators, separatorIsRegex } = config;
  const found: Violation[] = [];
  if (!isWithin(chunkSize, 1, MAX_CHUNK_SIZE)) found.push(outside('recursive.chunkSize', 1, MAX_CHUNK_SIZE));
  if (!Number.isInteger(chunkOverlap) || chunkOverlap < 0 || chunkOverlap >= chunkSize) {
    found.push({ path: 'recursive.chunkOverlap', problem: 'must be at least 0 and less than the chunk size' });
  }
  if (separators.length > MAX_SEPARATORS) {
    found.push({ path: 'recursive.separators', problem: `must have at most ${MAX_SEPARATORS} items` });
  }
  for (const [index, separator] of separators.slice(0, MAX_SEPARATORS).entries()) {
    const path = `recursive.separators[${index}]`;
    if (codePointLength(separator) > MAX_SEPARATOR_CHARACTERS) {
      found.push({ path, problem: `must have at most ${MAX_SEPARATOR_CHARACTERS} characters` });
    } else if (separatorIsRegex) {
      const problem = separatorPatternProblem(separator);
      if (problem !== undefined) found.push({ path, problem });
    }
  }
  return found;
}

function sentenceViolations({ maxChunkSize, minChunkSize }: SentenceChunking): Violation[] {
  const found: Violation[] = [];
  if (!isWithin(maxChunkSize, 1, MAX_CHUNK_SIZE)) found.push(outside('sentence.maxChunkSize', 1, MAX_CHUNK_SIZE));
  if (!isWithin(minChunkSize, 0, maxChunkSize)) {
    found.push({ path: 'sentence.minChunkSize', problem: 'must be between 0 and the largest chunk size' });
  }
  return found;
}

function isWithin(value: number, low: number, high: number): boolean {
  return Number.isInteger(value) && value >= low && value <= high;
}

function outside(path: string, low: number, high: number): Violation {
  return { path, problem: `must be between ${low} and ${high}` };
}
