import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { chunkingMessage, chunkingRecord, readChunkingConfig } from '../../../../src/server/service/chunking-config.ts';
import {
  ChunkingConfigSchema,
  KeepStrategy,
  LengthMeasurement,
} from '../../../../src/shared/gen/service/v1/space_pb.ts';

type Init = MessageInitShape<typeof ChunkingConfigSchema>;
type Recursive = Extract<NonNullable<Init['strategy']>, { case: 'recursive' }>['value'];

const read = (init: Init) => readChunkingConfig(create(ChunkingConfigSchema, init), 'chunking');
const normalized = (init: Init) => read(init).message;
const recursive = (value: Recursive): Init => ({ strategy: { case: 'recursive', value } });

function details(init: Init): string {
  return read(init)
    .violations.map(({ path, problem }) => `${path}: ${problem}`)
    .join('; ');
}

describe('defaults', () => {
  test('an empty config is recursive, 512 with 64 overlap', () => {
    expect(readChunkingConfig(undefined, 'chunking').message).toEqual(
      create(
        ChunkingConfigSchema,
        recursive({
          chunkSize: 512,
          chunkOverlap: 64,
          separators: ['\n\n', '\n', ' ', ''],
          keepStrategy: KeepStrategy.KEEP_END,
          separatorIsRegex: false,
          lengthMeasurement: LengthMeasurement.CHARACTER_COUNT,
        }),
      ),
    );
  });

  test('of a recursive config: no overlap, the default separators, KEEP_END, characters', () => {
    expect(chunkingRecord(normalized(recursive({ chunkSize: 100, separators: [] })))).toEqual({
      recursive: {
        chunkSize: 100,
        chunkOverlap: 0,
        separators: ['\n\n', '\n', ' ', ''],
        keepStrategy: 'KEEP_END',
        separatorIsRegex: false,
        lengthMeasurement: 'CHARACTER_COUNT',
      },
    });
  });

  test('of a sentence config, and none has no fields', () => {
    expect(chunkingRecord(normalized({ strategy: { case: 'sentence', value: { maxChunkSize: 9 } } }))).toEqual({
      sentence: {
        maxChunkSize: 9,
        minChunkSize: 0,
        enableLanguageDetection: false,
        lengthMeasurement: 'CHARACTER_COUNT',
      },
    });
    expect(chunkingRecord(normalized({ strategy: { case: 'none', value: {} } }))).toEqual({ none: {} });
  });

  test('KEEP_NONE is the old name of KEEP_END, KEEP_START stays', () => {
    const keep = (keepStrategy: KeepStrategy) => chunkingRecord(normalized(recursive({ chunkSize: 1, keepStrategy })));
    expect(keep(KeepStrategy.KEEP_NONE)).toMatchObject({ recursive: { keepStrategy: 'KEEP_END' } });
    expect(keep(KeepStrategy.KEEP_START)).toMatchObject({ recursive: { keepStrategy: 'KEEP_START' } });
  });
});

test('the stored form and the message are the same config', () => {
  const tokens = LengthMeasurement.TOKEN_COUNT;
  const configs: Init[] = [
    recursive({ chunkSize: 3, chunkOverlap: 2, separators: ['a+'], separatorIsRegex: true, lengthMeasurement: tokens }),
    { strategy: { case: 'sentence', value: { maxChunkSize: 5, minChunkSize: 5, lengthMeasurement: tokens } } },
    { strategy: { case: 'none', value: {} } },
  ];
  for (const init of configs) {
    const message = normalized(init);
    const stored: unknown = JSON.parse(JSON.stringify(chunkingRecord(message)));
    expect(chunkingMessage(stored as ReturnType<typeof chunkingRecord>)).toEqual(message);
  }
});

describe('refused configs and the field that is named', () => {
  test.each<[Init, RegExp]>([
    [{}, /^chunking: must have exactly one of/],
    [recursive({ chunkSize: 10, chunkOverlap: 10 }), /^chunking\.recursive\.chunkOverlap: /],
    [recursive({ chunkSize: 0 }), /chunking\.recursive\.chunkSize: /],
    [
      recursive({ chunkSize: 9, separatorIsRegex: true, separators: [' ', '('] }),
      /^chunking\.recursive\.separators\[1\]: /,
    ],
    [
      recursive({ chunkSize: 9, lengthMeasurement: LengthMeasurement.CUSTOM }),
      /^chunking\.recursive\.lengthMeasurement: /,
    ],
    [
      { strategy: { case: 'sentence', value: { maxChunkSize: 5, minChunkSize: 6 } } },
      /^chunking\.sentence\.minChunkSize: /,
    ],
    [
      { strategy: { case: 'sentence', value: { maxChunkSize: 5, lengthMeasurement: LengthMeasurement.CUSTOM } } },
      /^chunking\.sentence\.lengthMeasurement: /,
    ],
  ])('%j', (init, problem) => {
    expect(details(init)).toMatch(problem);
  });

  test('a separator is compiled only when it is a pattern', () => {
    expect(details(recursive({ chunkSize: 9, separators: ['('] }))).toBe('');
  });
});
