import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from '../../shared/json/encode.ts';
import { ndjsonLine } from '../../shared/json/ndjson.ts';
import type { Io } from '../io.ts';
import { renderBlock, renderBlocks } from './blocks.ts';
import { indentJson } from './indent-json.ts';
import type { Column } from './layout.ts';
import { renderRecord } from './record-table.ts';
import { renderTable } from './table.ts';

/** How a kind of record looks: its message for JSON, its columns in a list, its fields when it stands alone. */
export interface View<Desc extends DescMessage> {
  readonly desc: Desc;
  readonly columns: readonly Column<MessageShape<Desc>>[];
  /** The columns when left out. */
  readonly fields?: readonly Column<MessageShape<Desc>>[];
}

/** Writes one record in the form that was decided. */
export async function writeRecord<Desc extends DescMessage>(
  io: Io,
  view: View<Desc>,
  record: MessageShape<Desc>,
): Promise<void> {
  const { desc, columns, fields = columns } = view;
  switch (io.records) {
    case 'json':
      return io.stdout.write(`${indentJson(encodeJson(desc, record))}\n`);
    case 'ndjson':
      return io.stdout.write(ndjsonLine(desc, record));
    case 'columns':
      return io.stdout.write(renderTable(columns, [record], tableOptions(io)));
    case 'table':
      return io.stdout.write(renderRecord(fields, record, tableOptions(io)));
    default:
      return io.stdout.write(renderBlock(fields, record));
  }
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
  if (io.records === 'json') return writeJsonArray(io, view.desc, records);
  if (io.records === 'ndjson') {
    for await (const record of records) await io.stdout.write(ndjsonLine(view.desc, record));
    return;
  }
  const all: MessageShape<Desc>[] = [];
  for await (const record of records) all.push(record);
  if (all.length === 0) return io.stderr.write(`${whenEmpty}\n`);
  const text =
    io.records === 'blocks' ? renderBlocks(view.columns, all) : renderTable(view.columns, all, tableOptions(io));
  await io.stdout.write(text);
}

/** One array, written item by item. When the source fails half-way it is closed; when it fails at once nothing is written. */
async function writeJsonArray<Desc extends DescMessage>(
  io: Pick<Io, 'stdout'>,
  desc: Desc,
  records: AsyncIterable<MessageShape<Desc>> | Iterable<MessageShape<Desc>>,
): Promise<void> {
  let count = 0;
  try {
    for await (const record of records) {
      const before = count === 0 ? '[\n  ' : ',\n  ';
      count += 1;
      await io.stdout.write(before + indentJson(encodeJson(desc, record), '  '));
    }
  } catch (error) {
    if (count > 0) await io.stdout.write('\n]\n');
    throw error;
  }
  await io.stdout.write(count === 0 ? '[]\n' : '\n]\n');
}

function tableOptions(io: Io): { width: number; rule: boolean; color: boolean } {
  return { width: io.width, rule: io.records === 'table', color: io.color };
}
