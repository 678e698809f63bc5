import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chunkText } from '../src/server/workers/chunk/chunk-text.ts';
import { DEFAULT_CHUNKING } from '../src/server/workers/chunk/config.ts';
import { type Figures, interleaved } from './measure.ts';
import { installed } from './peer.ts';
import { atLeast, type Table, table } from './report.ts';

const SPLITTER = '@langchain/textsplitters';
const VERSION = '1.0.2';
const CORE = '@langchain/core@1.4.0';
const PAGES = ['architecture', 'cli', 'filters', 'metrics', 'performance'];
const CHARACTERS = 3_000_000;
const ROUNDS = 15;

interface Splitters {
  RecursiveCharacterTextSplitter: new (
    settings: Readonly<Record<string, unknown>>,
  ) => { splitText(text: string): Promise<string[]> };
}

/** The recursive method with the default config, until each chunk is a string; as it is and, as code units of one byte, in ASCII. */
export async function* benchChunking(): AsyncGenerator<Table> {
  const directory = await installed([`${SPLITTER}@${VERSION}`, CORE]);
  const { RecursiveCharacterTextSplitter }: Splitters = createRequire(join(directory, 'index.js'))(SPLITTER);
  const { chunkSize, chunkOverlap, separators } = DEFAULT_CHUNKING.recursive;
  const splitter = new RecursiveCharacterTextSplitter({ chunkSize, chunkOverlap, separators });
  const pages = await Promise.all(
    PAGES.map((name) => readFile(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')),
  );
  const all = pages.join('\n\n');
  const repeated = all.repeat(Math.ceil(CHARACTERS / all.length)).slice(0, CHARACTERS);
  const texts = {
    'in ASCII': repeated.replace(/[\u0080-\uffff]/g, '-'),
    'with dashes and arrows of two bytes': repeated,
  };
  const peer = `${SPLITTER} ${VERSION}`;
  for (const [what, given] of Object.entries(texts)) {
    // As it comes from a content: one flat string.
    const text = Buffer.from(given).toString();
    const rounds = await interleaved(
      {
        [peer]: () => speed(text, async () => void (await splitter.splitText(text))),
        svc: () =>
          speed(text, async () => void chunkText(text, DEFAULT_CHUNKING).map(({ from, to }) => text.slice(from, to))),
      },
      ROUNDS,
    );
    yield table(`Chunk the pages of this directory, ${what}`, rounds, {
      svc: [{ over: peer, by: 'MB/s', promise: atLeast(3, 6) }],
    });
  }
}

/** Millions of characters in a second of processor time. */
async function speed(text: string, chunk: () => Promise<void>): Promise<Figures> {
  const before = process.cpuUsage();
  await chunk();
  const { user, system } = process.cpuUsage(before);
  return { 'MB/s': text.length / (user + system) };
}
