import type { Readable } from 'node:stream';

const MAX_LINE = 8192;
/** One pause after so much, about 1 MiB a second: whoever writes more has to wait, instead of keeping the server busy. */
const BURST = 262_144;
const PAUSE_MS = 250;

/** Calls `line` with each line of a stream; longer ones come in pieces. */
export function eachLine(stream: Readable, line: (text: string) => void): void {
  let rest = '';
  let burst = 0;
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) pieces(text, line);
    if (rest.length > MAX_LINE) {
      pieces(rest, line);
      rest = '';
    }
    burst += part.length;
    if (burst < BURST) return;
    burst = 0;
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS).unref();
  });
  stream.on('end', () => pieces(rest, line));
}

function pieces(text: string, line: (text: string) => void): void {
  for (let start = 0; start < text.length; start += MAX_LINE) line(text.slice(start, start + MAX_LINE).trimEnd());
}
