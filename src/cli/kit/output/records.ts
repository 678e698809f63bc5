import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from '../../../shared/json/encode.ts';
import { onOneLine } from '../../../shared/text.ts';
import { indentJson, pickMembers } from '../text/json-text.ts';
import { severalLines } from '../text/printable.ts';
import type { Io, Selection } from './io.ts';
import { renderBlock, renderRecord, rowsText, screenFields } from './rows.ts';
import { type Column, renderTable, tableOptions } from './table.ts';

/** How a kind of record looks: its message for JSON, its columns in a list, its fields when it stands alone. */
export interface View<Desc extends DescMessage> {
  readonly desc: Desc;
  readonly columns: readonly Column<MessageShape<Desc>>[];
  /** The columns when left out. */
  readonly fields?: readonly Column<MessageShape<Desc>>[];
}

/** The same for records that no message stands for, such as what this machine keeps itself. */
export interface LocalView<T> {
  /** What the JSON forms show. */
  json(record: T): object;
  readonly columns: readonly Column<T>[];
  readonly fields?: readonly Column<T>[];
  /** A list cuts nothing: there is no way to look at a single record. */
  readonly wraps?: boolean;
}

/** Writes one record in the form that was decided. */
export async function writeRecord<Desc extends DescMessage>(
  io: Io,
  view: View<Desc>,
  record: MessageShape<Desc>,
): Promise<void> {
  return writeOne(io, ofMessages(view), record);
}

export async function writeLocalRecord<T>(io: Io, view: LocalView<T>, record: T): Promise<void> {
  return writeOne(io, ofLocal(view), record);
}

/**
 * Writes records as they come (JSON forms) or all at the end (tables have to know every width). `whenEmpty` tells people
 * what to do next; it goes to stderr, and in the JSON forms it is left out.
 */
export async function writeList<Desc extends DescMessage>(
  io: Io,
  view: View<Desc>,
  records: AsyncIterable<MessageShape<Desc>> | Iterable<MessageShape<Desc>>,
  whenEmpty: string,
): Promise<void> {
  return writeAll(io, ofMessages(view), records, whenEmpty);
}

export async function writeLocalList<T>(
  io: Io,
  view: LocalView<T>,
  records: Iterable<T>,
  whenEmpty: string,
): Promise<void> {
  return writeAll(io, ofLocal(view), records, whenEmpty);
}

interface Shown<T> {
  /** Compact JSON. */
  encode(record: T): string;
  columns: readonly Column<T>[];
  fields: readonly Column<T>[];
  wraps?: boolean;
}

function ofMessages<Desc extends DescMessage>({
  desc,
  columns,
  fields = columns,
}: View<Desc>): Shown<MessageShape<Desc>> {
  return { encode: (record) => encodeJson(desc, record), columns, fields };
}

function ofLocal<T>({ json, columns, fields = columns, wraps = false }: LocalView<T>): Shown<T> {
  return { encode: (record) => JSON.stringify(json(record)), columns, fields, wraps };
}

async function writeOne<T>(io: Io, { encode, columns, fields }: Shown<T>, record: T): Promise<void> {
  if (io.selection !== undefined)
    return writeSelection(io, io.selection, pickMembers(encode(record), io.selection.fields));
  switch (io.records) {
    case 'json':
      return io.stdout.write(`${indentJson(encode(record))}\n`);
    case 'ndjson':
      return io.stdout.write(`${onOneLine(encode(record))}\n`);
    case 'columns':
      return io.stdout.write(renderTable(columns, [record], tableOptions(io)));
    case 'table':
      return io.stdout.write(renderRecord(screenFields(fields, io), record, tableOptions(io)));
    default:
      return io.stdout.write(renderBlock(fields, record));
  }
}

async function writeAll<T>(
  io: Io,
  { encode, columns, wraps }: Shown<T>,
  records: AsyncIterable<T> | Iterable<T>,
  whenEmpty: string,
): Promise<void> {
  const { selection } = io;
  if (selection !== undefined) {
    const picked: string[] = [];
    for await (const record of records) picked.push(pickMembers(encode(record), selection.fields));
    return writeSelection(io, selection, `[${picked.join(',')}]`);
  }
  if (io.records === 'json') return writeJsonArray(io, encode, records);
  if (io.records === 'ndjson') {
    for await (const record of records) await io.stdout.write(`${onOneLine(encode(record))}\n`);
    return;
  }
  const all: T[] = [];
  for await (const record of records) all.push(record);
  if (all.length === 0) return io.stderr.write(`${whenEmpty}\n`);
  await io.stdout.write(rowsText(io, columns, all, wraps));
}

/** One array, written item by item. When the source fails half-way it is closed; when it fails at once nothing is written. */
async function writeJsonArray<T>(
  io: Pick<Io, 'stdout'>,
  encode: (record: T) => string,
  records: AsyncIterable<T> | Iterable<T>,
): Promise<void> {
  let count = 0;
  try {
    for await (const record of records) {
      const before = count === 0 ? '[\n  ' : ',\n  ';
      count += 1;
      await io.stdout.write(before + indentJson(encode(record), '  '));
    }
  } catch (error) {
    if (count > 0) await io.stdout.write('\n]\n');
    throw error;
  }
  await io.stdout.write(count === 0 ? '[]\n' : '\n]\n');
}

/**
 * Writes compact JSON, or what the jq expression makes of it, as gh does: indented for people, on one line in a pipe and
 * where a reader of lines is promised one.
 */
export async function writeSelection(
  { stdout, stdoutIsTerminal, records, signal }: Pick<Io, 'stdout' | 'stdoutIsTerminal' | 'records' | 'signal'>,
  { jq }: Selection,
  json: string,
): Promise<void> {
  const isIndented = stdoutIsTerminal && records !== 'ndjson';
  if (jq === undefined) return stdout.write(`${isIndented ? indentJson(json) : onOneLine(json)}\n`);
  const { runJq } = await import('./jq.ts');
  const text = await runJq(json, jq, { isIndented, signal });
  // Strings come without quotes, and so with whatever others have put into them.
  if (text !== '') await stdout.write(stdoutIsTerminal ? severalLines(text) : text);
}
