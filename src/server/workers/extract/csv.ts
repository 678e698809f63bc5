import { CsvError, parse } from 'csv-parse/sync';
import { ExtractionError } from '../errors.ts';
import type { ContentType } from './content-type.ts';
import { OutputText } from './output-text.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * Writes one line per row. With a header each cell is preceded by its column name (`city: Bern; people: 134000`), so that a
 * chunk of rows can be found and understood on its own; empty cells are left out, and the header is the first line. Without
 * a header the cells are joined. The content type says whether there is a header (`header=present|absent`); without that,
 * a first row of two or more different short names counts as one. A malformed file is kept as plain text.
 */
export function extractCsv(blocks: Iterable<string>, output: OutputText, type: ContentType): void {
  const raw = new OutputText(output.limit);
  for (const block of blocks) raw.append(block);
  const text = raw.toString();
  output.append(rowsAsText(text, type, output.limit) ?? text);
}

function rowsAsText(text: string, type: ContentType, limit: number): string | undefined {
  const isTabs = type.essence === 'text/tab-separated-values';
  const writer = new RowWriter(new OutputText(limit), type.parameters.get('header'));
  try {
    parse(text, {
      delimiter: isTabs ? '\t' : likelyDelimiter(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      // Rows are written at once; collecting them would take several times the memory of the text.
      on_record: (row: string[]) => {
        writer.add(row);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof ExtractionError || error instanceof CsvError) return undefined;
    throw error;
  }
  return writer.finish();
}

/** The candidate that is most frequent in the first line outside quotes; a comma if there is none. */
function likelyDelimiter(text: string): string {
  const line = /^[\r\n]*([^\r\n]*)/.exec(text.slice(0, 65_536))?.[1]?.replace(/"[^"]*"/g, '') ?? '';
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

class RowWriter {
  readonly #output: OutputText;
  readonly #declared: string | undefined;
  #first: string[] | undefined;
  #names: readonly string[] | undefined;
  #rows = 0;

  constructor(output: OutputText, declared: string | undefined) {
    this.#output = output;
    this.#declared = declared;
  }

  add(row: readonly string[]): void {
    const cells = row.map((cell) => cell.replace(/\s+/g, ' ').trim());
    this.#rows += 1;
    if (this.#rows === 1) {
      this.#first = cells;
      return;
    }
    if (this.#rows === 2) this.#start(cells);
    this.#line(this.#names === undefined ? joined(cells) : described(cells, this.#names));
  }

  finish(): string {
    if (this.#rows === 1 && this.#first !== undefined) this.#line(joined(this.#first));
    return this.#output.toString();
  }

  #start(second: readonly string[]): void {
    const first = this.#first ?? [];
    const isHeader = this.#declared === undefined ? isEvidentHeader(first, second) : this.#declared === 'present';
    if (isHeader) this.#names = first;
    this.#line(joined(first));
  }

  #line(line: string): void {
    if (line === '') return;
    this.#output.append(this.#output.isEmpty ? line : `\n${line}`);
  }
}

function isEvidentHeader(first: readonly string[], second: readonly string[]): boolean {
  if (first.length < 2 || new Set(first).size < first.length) return false;
  return first.every((cell, index) => isName(cell) && cell !== second[index]);
}

/** Whether a cell is short and not a number, date, email address or link. */
function isName(cell: string): boolean {
  return cell.length <= 64 && /^[\p{L}_#]/u.test(cell) && !/@|:\/\//.test(cell);
}

function described(cells: readonly string[], names: readonly string[]): string {
  const parts = cells.map((cell, index) => {
    const name = names[index] ?? '';
    return cell === '' || name === '' ? cell : `${name}: ${cell}`;
  });
  return joined(parts);
}

function joined(cells: readonly string[]): string {
  return cells.filter((cell) => cell !== '').join('; ');
}
