import type { PingResult } from '../../shared/gen/service/v1/ping_pb.ts';
import type { Io } from '../kit/output/io.ts';
import { bytesText } from '../kit/text/figures.ts';
import { wrap } from '../kit/text/printable.ts';
import { isAnswered } from '../ping/tally.ts';
import { resultLine } from './ping-lines.ts';
import { errorText, headingText, milliseconds, splitText } from './ping-text.ts';

const CLAMPED = 'clamped.';
/** The flag of each setting of a probe that the server bounds, and the unit in which it tells the bound. */
const FLAGS: Readonly<Record<string, readonly [flag: string, unit: string]>> = {
  timeoutMs: ['--timeout', ' ms'],
  payloadSizeBytes: ['--size', ' bytes'],
};

/** One probe on its own: two sentences on a terminal, one line for programs. */
export async function writeProbe(io: Io, result: PingResult): Promise<void> {
  for (const [name, applied] of Object.entries(result.metadata)) {
    if (!name.startsWith(CLAMPED)) continue;
    const [flag, unit] = FLAGS[name.slice(CLAMPED.length)] ?? [name.slice(CLAMPED.length), ''];
    await io.stderr.write(`note: ${flag} was set to ${applied}${unit}, the limit of the server\n`);
  }
  await io.stdout.write(io.stdoutIsTerminal ? probeText(result, io) : `${resultLine(result)}\n`);
}

function probeText(result: PingResult, { width, color }: Pick<Io, 'width' | 'color'>): string {
  const { endpoint, ok } = result;
  const heading = endpoint === undefined ? [] : [headingText(endpoint)];
  const verdict = ok ? [`ok: ${courseText(result)}`] : [`failed: ${errorText(result)}`, courseText(result)];
  return [...heading, ...verdict]
    .flatMap((text) => wrap(text, width))
    .map((line) => `${color ? line.replace(/^(ok|failed):/, painted) : line}\n`)
    .join('');
}

/** How long it took, with what status, where the time went, how much was sent. */
function courseText(result: PingResult): string {
  const { rttMs, httpStatus, bytesSent, bytesReceived } = result;
  const time = `${milliseconds(rttMs)} ms`;
  if (!isAnswered(result)) return `no answer for ${time}; ${bytesText(bytesSent)} sent`;
  const status = httpStatus === undefined ? '' : ` with status ${httpStatus}`;
  const split = splitText(result);
  const parts = split === '' ? '' : ` (${split})`;
  return `answered in ${time}${status}${parts}; ${bytesText(bytesSent)} sent, ${bytesText(bytesReceived)} received`;
}

function painted(_sign: string, word: string): string {
  return `\u001b[${word === 'ok' ? 32 : 31}m${word}\u001b[39m:`;
}
