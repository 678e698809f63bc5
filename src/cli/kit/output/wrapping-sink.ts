import { displayWidth, fill, NO_BREAK } from '../text/printable.ts';
import type { Sink } from './sink.ts';

/** How the first line of a failure or a remark begins; what belongs to it stands below its text. */
const PREFIX = /^(?:svc: |note: |debug: )/;
/** A command to copy: with a line break in it a shell would run its first half. */
const COMMAND = /(?<=[:,] )svc [^;,]*/g;

/** A sink for messages on a terminal: lines that are longer than it is wide are cut between words. */
export function wrappingSink(sink: Sink, columns: number): Sink {
  return {
    write: (data) => sink.write(typeof data === 'string' && !movesCursor(data) ? wrapLines(data, columns) : data),
  };
}

/** As lines do that are drawn over. */
function movesCursor(text: string): boolean {
  return text.includes('\r') || text.includes('\u001b');
}

function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (displayWidth(line) > columns ? wrapLine(line, columns) : line))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const [end = ''] = / *$/.exec(line) ?? [];
  const hanging = PREFIX.test(line) ? '    ' : indent;
  const whole = line.trim().replace(COMMAND, (command) => command.replaceAll(' ', NO_BREAK));
  const [first = '', ...rest] = fill(whole, columns - Math.max(indent.length, hanging.length) - end.length);
  const lines = [`${indent}${first}`, ...rest.map((part) => `${hanging}${part}`)];
  return `${lines.join('\n').replaceAll(NO_BREAK, ' ')}${end}`;
}
