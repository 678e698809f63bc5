import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type ChunkingConfig,
  type ChunkingConfigSchema,
  KeepStrategy,
  LengthMeasurement,
} from '../../../shared/gen/service/v1/space_pb.ts';
import { usageError } from '../errors.ts';
import { type FlagValues, filling, inGroup } from './flag.ts';
import { choice, integer, texts } from './kinds.ts';

/** How content is cut into chunks. Bounds are the server's to judge; it names the field. */
export const CHUNK_FLAGS = inGroup('Chunking', {
  chunking: choice('--chunking <method>', 'How content is cut into chunks', ['none', 'recursive', 'sentence']),
  chunkSize: filling(
    integer('--chunk-size <n>', 'The most characters or tokens of a chunk', { min: 1 }),
    'chunkSize',
    'maxChunkSize',
  ),
  chunkOverlap: integer('--chunk-overlap <n>', 'How much of a chunk is repeated in the next', { min: 0 }),
  separator: texts('--separator <text>', 'Where to cut, best first (repeatable; \\n and \\t are read)'),
  keep: filling(choice('--keep <side>', 'Which piece keeps the separator', ['start', 'end']), 'keepStrategy'),
  length: filling(choice('--length <unit>', 'What the sizes are counted in', ['chars', 'tokens']), 'lengthMeasurement'),
});

const DEFAULT_SIZE = 512;

/** The chunking config that the flags ask for; undefined when none of them was given. */
export function chunkingFromFlags(
  flags: FlagValues<typeof CHUNK_FLAGS>,
): MessageInitShape<typeof ChunkingConfigSchema> | undefined {
  const { chunkSize, chunkOverlap, separator, keep, length } = flags;
  const hasRecursive = chunkOverlap !== undefined || separator.length > 0 || keep !== undefined;
  const hasAny = hasRecursive || chunkSize !== undefined || length !== undefined;
  if (flags.chunking === undefined && !hasAny) return undefined;
  const lengthMeasurement = length === 'tokens' ? LengthMeasurement.TOKEN_COUNT : LengthMeasurement.CHARACTER_COUNT;
  switch (flags.chunking) {
    case 'none':
      if (hasAny) throw usageError('--chunking none cannot be given together with other chunk flags');
      return { strategy: { case: 'none', value: {} } };
    case 'sentence':
      if (hasRecursive) throw usageError('--chunk-overlap, --separator and --keep belong to --chunking recursive');
      return {
        strategy: { case: 'sentence', value: { maxChunkSize: chunkSize ?? DEFAULT_SIZE, lengthMeasurement } },
      };
    default:
      return {
        strategy: {
          case: 'recursive',
          value: {
            chunkSize: chunkSize ?? DEFAULT_SIZE,
            chunkOverlap: chunkOverlap ?? 0,
            separators: separator.map(readEscapes),
            keepStrategy: keep === 'start' ? KeepStrategy.KEEP_START : KeepStrategy.KEEP_END,
            lengthMeasurement,
          },
        },
      };
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** Line feeds are hard to type in a shell: `\n`, `\t`, `\r` and `\\` stand for the characters. */
function readEscapes(text: string): string {
  return text.replace(/\\([ntr\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** One line about a chunking config: `recursive 512/64 chars`. */
export function chunkingText(config: ChunkingConfig | undefined): string {
  switch (config?.strategy.case) {
    case 'none':
      return 'none';
    case 'recursive': {
      const { chunkSize, chunkOverlap, lengthMeasurement } = config.strategy.value;
      return `recursive ${chunkSize}/${chunkOverlap} ${unitOf(lengthMeasurement)}`;
    }
    case 'sentence': {
      const { minChunkSize, maxChunkSize, lengthMeasurement } = config.strategy.value;
      return `sentence ${minChunkSize}..${maxChunkSize} ${unitOf(lengthMeasurement)}`;
    }
    default:
      return '';
  }
}

function unitOf(measurement: LengthMeasurement): string {
  return measurement === LengthMeasurement.TOKEN_COUNT ? 'tokens' : 'chars';
}
