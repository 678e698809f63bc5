import { create } from '@bufbuild/protobuf';
import type { Violation } from '../../shared/errors.ts';
import {
  ChunkingConfigSchema,
  type ChunkingConfig as ChunkingMessage,
  KeepStrategy,
  LengthMeasurement,
} from '../../shared/gen/service/v1/space_pb.ts';
import { type ChunkingConfig, DEFAULT_CHUNKING, DEFAULT_SEPARATORS } from '../workers/chunk/config.ts';
import { chunkingViolations } from '../workers/chunk/validate.ts';

/**
 * A chunking config with all its fields filled in, the default one when none is given, and everything that is wrong
 * with it. `path` is where the config stands in the request.
 */
export function readChunkingConfig(
  config: ChunkingMessage | undefined,
  path: string,
): { message: ChunkingMessage; violations: Violation[] } {
  if (config === undefined) return { message: chunkingMessage(DEFAULT_CHUNKING), violations: [] };
  const { strategy } = config;
  if (strategy.case === undefined) {
    const problem = 'must have exactly one of none, recursive and sentence';
    return { message: config, violations: [{ path, problem }] };
  }
  if (strategy.case !== 'none' && measurementName(strategy.value.lengthMeasurement) === undefined) {
    const problem = 'must be CHARACTER_COUNT or TOKEN_COUNT';
    return { message: config, violations: [{ path: `${path}.${strategy.case}.lengthMeasurement`, problem }] };
  }
  const record = chunkingRecord(config);
  const violations = chunkingViolations(record).map((found) => ({ ...found, path: `${path}.${found.path}` }));
  return { message: chunkingMessage(record), violations };
}

/** The config as plain JSON: what is stored, and what the chunking worker takes. Unset fields get their defaults. */
export function chunkingRecord({ strategy }: ChunkingMessage): ChunkingConfig {
  if (strategy.case === 'recursive') {
    const { chunkSize, chunkOverlap, separators, separatorIsRegex } = strategy.value;
    return {
      recursive: {
        chunkSize,
        chunkOverlap,
        separators: separators.length === 0 ? DEFAULT_SEPARATORS : separators,
        // KEEP_NONE is an old name of KEEP_END.
        keepStrategy: strategy.value.keepStrategy === KeepStrategy.KEEP_START ? 'KEEP_START' : 'KEEP_END',
        separatorIsRegex,
        lengthMeasurement: measurementName(strategy.value.lengthMeasurement) ?? 'CHARACTER_COUNT',
      },
    };
  }
  if (strategy.case === 'sentence') {
    const { maxChunkSize, minChunkSize, enableLanguageDetection } = strategy.value;
    const lengthMeasurement = measurementName(strategy.value.lengthMeasurement) ?? 'CHARACTER_COUNT';
    return { sentence: { maxChunkSize, minChunkSize, enableLanguageDetection, lengthMeasurement } };
  }
  return strategy.case === 'none' ? { none: {} } : DEFAULT_CHUNKING;
}

/** The message of a stored config. */
export function chunkingMessage(record: ChunkingConfig): ChunkingMessage {
  if ('recursive' in record) {
    const { separators, keepStrategy, lengthMeasurement, ...rest } = record.recursive;
    const value = {
      ...rest,
      separators: [...separators],
      keepStrategy: KeepStrategy[keepStrategy],
      lengthMeasurement: LengthMeasurement[lengthMeasurement],
    };
    return create(ChunkingConfigSchema, { strategy: { case: 'recursive', value } });
  }
  if ('sentence' in record) {
    const { lengthMeasurement, ...rest } = record.sentence;
    const value = { ...rest, lengthMeasurement: LengthMeasurement[lengthMeasurement] };
    return create(ChunkingConfigSchema, { strategy: { case: 'sentence', value } });
  }
  return create(ChunkingConfigSchema, { strategy: { case: 'none', value: {} } });
}

function measurementName(measurement: LengthMeasurement): 'CHARACTER_COUNT' | 'TOKEN_COUNT' | undefined {
  switch (measurement) {
    case LengthMeasurement.LENGTH_MEASUREMENT_UNSPECIFIED:
    case LengthMeasurement.CHARACTER_COUNT:
      return 'CHARACTER_COUNT';
    case LengthMeasurement.TOKEN_COUNT:
      return 'TOKEN_COUNT';
    default:
      return undefined;
  }
}
