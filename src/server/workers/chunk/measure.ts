import type { ChunkingConfig } from './config.ts';

/** Whether a config needs the token counter, which is big and loaded only then. */
export function measuresTokens(config: ChunkingConfig): boolean {
  if ('recursive' in config) return config.recursive.lengthMeasurement === 'TOKEN_COUNT';
  return 'sentence' in config && config.sentence.lengthMeasurement === 'TOKEN_COUNT';
}
