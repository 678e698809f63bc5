import { create, type JsonObject } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { headingOf, textLines } from '../../../../src/cli/retrieve/card.ts';
import { readerOf } from '../../../../src/cli/retrieve/entries.ts';
import { type RetrieveViewOptions, retrieveLines } from '../../../../src/cli/retrieve/lines.ts';
import {
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
} from '../../../../src/shared/gen/service/v1/memory_pb.ts';

const LONG = [
  'The house was built in 1931 and has two floors, a cellar and an attic under a roof of red tiles.',
  'The windows of the ground floor were replaced in 1998, those of the first floor in 2004.',
  'The garden fence is painted every third spring, with the green paint from the shed.',
  'Anna serviced the boiler on 3 March and replaced the gasket of its pump.',
  'The chimney was swept in the autumn before.',
].join('\n');

interface Found {
  text: string;
  metadata?: JsonObject;
  /** Of the chunk. */
  place?: JsonObject;
}

function events({ text, metadata = {}, place }: Found): RetrieveMemoryEvent[] {
  const chunk = { memoryId: 'm', chunkText: text, ...(place === undefined ? {} : { metadata: place }) };
  return [
    create(RetrieveMemoryEventSchema, { event: { case: 'memoryDefinition', value: { memoryId: 'm', metadata } } }),
    create(RetrieveMemoryEventSchema, {
      event: { case: 'retrievedItem', value: { item: { case: 'chunk', value: chunk } } },
    }),
  ];
}

function entryOf(question: string, found: Found) {
  const reader = readerOf({ message: question, answers: false });
  const entry = events(found)
    .flatMap((event) => reader.read(event))
    .at(-1);
  if (entry?.kind !== 'result') throw new Error('No result');
  return entry;
}

const shown = (question: string, width: number, isWhole = false) =>
  textLines(entryOf(question, { text: LONG }), width, isWhole).map(({ text }) => text);

describe('the text of a card', () => {
  test('begins with the sentence that answers, where the first lines do not show it', () => {
    expect(shown('when was the boiler serviced?', 60)).toEqual([
      '… Anna serviced the boiler on 3 March and replaced the',
      'gasket of its pump. The chimney was swept in the autumn',
      'before.',
    ]);
  });

  test('begins with the chunk where the first lines show it, and where nothing matches', () => {
    const beginning = 'The house was built in 1931 and has two floors, a cellar and';
    expect(shown('when was the house built?', 60)[0]).toBe(beginning);
    expect(shown('who paid the invoice?', 60)[0]).toBe(beginning);
  });

  test('begins shortly before the first match of a sentence that is too long', () => {
    const text = `${'and so on '.repeat(40)}until the boiler was serviced.`;
    const lines = textLines(entryOf('boiler', { text }), 40, false).map(({ text: line }) => line);
    expect(lines).toEqual(['… so on until the boiler was serviced.']);
  });

  test('is all of it when asked for', () => {
    expect(shown('boiler', 100, true)).toEqual(LONG.split('\n'));
  });
});

describe('the heading of a card', () => {
  const titleOf = (found: Omit<Found, 'text'>, room = 80) =>
    headingOf(entryOf('when was the boiler serviced?', { text: LONG, ...found }), room, 0).title;

  test('says where the best sentence stands', () => {
    const metadata = { path: 'notes/house.md', filename: 'house.md' };
    expect(titleOf({ metadata, place: { source_line_start: 12 } })).toBe('notes/house.md:15');
    expect(titleOf({ metadata })).toBe('notes/house.md');
    expect(titleOf({ metadata: { ...metadata, title: 'The house' }, place: { source_line_start: 1 } })).toBe(
      'The house · notes/house.md:4',
    );
  });

  test('keeps the end of a path and the beginning of a title', () => {
    const path = 'a-folder/with-a-long-name/of-many-words/house.md';
    const place = { source_line_start: 12 };
    expect(titleOf({ metadata: { path }, place }, 30)).toBe('…many-words/house.md:15');
    expect(titleOf({ metadata: { path, title: 'The house' }, place }, 40)).toBe('The house · …ny-words/house.md:15');
    expect(titleOf({ metadata: { path, title: 'The house' }, place }, 20)).toBe('The house');
  });
});

describe('words of the question', () => {
  const written = async (color: boolean) => {
    const out: string[] = [];
    const sink = { write: async (text: string) => void out.push(text) };
    const io = { stdout: sink, stderr: sink, width: 80, color, now: () => 0 } as unknown as Parameters<
      typeof retrieveLines
    >[0];
    const options = { plan: { message: 'boiler gasket' }, full: false } as RetrieveViewOptions;
    const writer = retrieveLines(io, options);
    for (const event of events({ text: 'The gaskets of the boiler' })) await writer.event(event);
    return out.join('');
  };

  test('stand out where there is color, and nothing is added where there is none', async () => {
    expect(await written(true)).toContain(
      'The \u001b[33;1mgaskets\u001b[39;22m of the \u001b[33;1mboiler\u001b[39;22m',
    );
    expect(await written(false)).toContain('The gaskets of the boiler');
  });
});
