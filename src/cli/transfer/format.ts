import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { ServiceError } from '../../shared/errors.ts';
import { type Embedder, EmbedderSchema } from '../../shared/gen/service/v1/embedder_pb.ts';
import {
  type Chunk,
  ChunkSchema,
  CreateMemoryRequestSchema,
  type Memory,
  MemorySchema,
} from '../../shared/gen/service/v1/memory_pb.ts';
import { type Space, SpaceSchema } from '../../shared/gen/service/v1/space_pb.ts';
import { decodeJson } from '../../shared/json/decode.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { isObject } from '../../shared/json/parse.ts';
import { onOneLine } from '../../shared/text.ts';
import { given } from '../kit/flags/flag.ts';
import { lineError, ndjsonRows } from '../kit/input/ndjson-rows.ts';

/** A space as it was, and those of its embedders that the caller may read. */
export interface SpaceItem {
  kind: 'space';
  space: Space;
  embedders: readonly Embedder[];
}

/** A memory without its content in the record, and the content. */
export interface MemoryItem {
  kind: 'memory';
  memory: Memory;
  content: Uint8Array;
}

/**
 * What a space is made of on its way out of one and into another, in this order: the space, its memories, its chunks when
 * vectors were asked for, and an end that tells a whole export from one that was cut off.
 */
export type TransferItem =
  | SpaceItem
  | MemoryItem
  | { kind: 'chunk'; chunk: Chunk }
  | { kind: 'end'; memories: number; chunks: number };

/** Where an item comes from, for messages: `line 17`, `memory 0198…`. */
export interface LocatedItem {
  at: string;
  item: TransferItem;
}

/** Longer content is written as base64 even if it is text: escaped, it could outgrow the longest string there is. */
const LONGEST_TEXT_BYTES = 32 * 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** An item as a line of an export. Records are as the API shows them; content is named as in a create. */
export function itemLine(item: TransferItem): string {
  return `${onOneLine(itemJson(item))}\n`;
}

function itemJson(item: TransferItem): string {
  switch (item.kind) {
    case 'space': {
      const embedders = item.embedders.map((embedder) => encodeJson(EmbedderSchema, embedder));
      return `{"space":${encodeJson(SpaceSchema, item.space)},"embedders":[${embedders.join(',')}]}`;
    }
    case 'memory':
      return `{"memory":${encodeJson(MemorySchema, item.memory)},${contentMember(item.content)}}`;
    case 'chunk':
      return `{"chunk":${encodeJson(ChunkSchema, item.chunk)}}`;
    default:
      return `{"end":{"memories":${item.memories},"chunks":${item.chunks}}}`;
  }
}

function contentMember(content: Uint8Array): string {
  const text = content.length > LONGEST_TEXT_BYTES ? undefined : utf8Text(content);
  if (text !== undefined) return `"originalContent":${JSON.stringify(text)}`;
  const { buffer, byteOffset, byteLength } = content;
  return `"originalContentB64":"${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"`;
}

function utf8Text(content: Uint8Array): string | undefined {
  try {
    return utf8.decode(content);
  } catch {
    return undefined;
  }
}

/**
 * The items of an export, line by line. `source` names it in errors.
 *
 * @throws CommandError (exit 65) at the first line that is none of its lines.
 */
export async function* readItems(
  input: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<LocatedItem & { line: number }> {
  for await (const { line, value } of ndjsonRows(input, source)) {
    yield {
      at: `line ${line}`,
      line,
      item: itemOf(value, (problem, details) => lineError(source, line, problem, details)),
    };
  }
}

type Refuse = (problem: string, details?: string) => Error;

function itemOf(value: unknown, refuse: Refuse): TransferItem {
  if (!isObject(value)) throw refuse('is not an object');
  const { space, embedders, memory, chunk, end } = value;
  const read = <D extends DescMessage>(desc: D, json: unknown): MessageShape<D> => {
    try {
      return decodeJson(desc, json);
    } catch (error) {
      throw refuse('has fields that cannot be used', error instanceof ServiceError ? error.details : '');
    }
  };
  if (space !== undefined) {
    const list = Array.isArray(embedders) ? embedders : [];
    return { kind: 'space', space: read(SpaceSchema, space), embedders: list.map((one) => read(EmbedderSchema, one)) };
  }
  if (memory !== undefined) {
    const { originalContent, originalContentB64 } = value;
    const request = read(CreateMemoryRequestSchema, given({ originalContent, originalContentB64 }));
    if (request.originalContent === undefined) throw refuse('has neither originalContent nor originalContentB64');
    return { kind: 'memory', memory: read(MemorySchema, memory), content: request.originalContent };
  }
  if (chunk !== undefined) return { kind: 'chunk', chunk: create(ChunkSchema) };
  if (isObject(end)) return { kind: 'end', memories: Number(end.memories), chunks: Number(end.chunks) };
  throw refuse('is not a line of an export', 'it has none of the members space, memory, chunk and end');
}
