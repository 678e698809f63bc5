import { onOneLine } from '../../shared/json/one-line.ts';
import type { Io, Selection } from '../io.ts';
import { indentJson } from '../render/indent-json.ts';
import { severalLines } from '../render/printable.ts';

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
