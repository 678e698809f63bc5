/** What is fast and how we know: every figure stands beside a raw part or a peer, measured in the same run. */
import { removeAll } from './at-end.ts';
import { benchBurst, benchLargeBurst } from './burst.ts';
import { benchChroma } from './chroma.ts';
import { benchChunking } from './chunking.ts';
import { Corpora } from './corpus.ts';
import { benchIngest } from './ingest.ts';
import { busyness, describeBusyness, describeMachine } from './machine.ts';
import { benchMem0 } from './mem0.ts';
import { writeSection } from './page.ts';
import { printTable, type Table } from './report.ts';
import { benchLoad, benchRead, benchRetrieve, benchRetrieveEmbedding, benchRetrieveLarge } from './retrieve.ts';
import { Service } from './service.ts';
import { benchDeletion, benchFilters, benchGrowth, benchQuantization, benchSizes } from './sizes.ts';
import { benchSmallMemories } from './small-memories.ts';
import { benchStartUp } from './start-up.ts';

/** Yields its tables as they are measured. */
type Bench = (service: Service, corpora: Corpora) => AsyncIterable<Table>;

/** By the name of their section in docs/performance.md, in the order in which they run. */
const BENCHES: Readonly<Record<string, Bench>> = {
  'start-up': benchStartUp,
  retrieve: benchRetrieve,
  'retrieve-embedding': benchRetrieveEmbedding,
  load: benchLoad,
  sizes: benchSizes,
  filters: benchFilters,
  read: benchRead,
  ingest: benchIngest,
  'small-memories': benchSmallMemories,
  burst: benchBurst,
  quantization: benchQuantization,
  deletion: benchDeletion,
};
/** Those that take longer or need other programs: run with `--full`, or when they are named. */
const FULL: Readonly<Record<string, Bench>> = {
  'retrieve-large': benchRetrieveLarge,
  chroma: benchChroma,
  growth: benchGrowth,
  mem0: benchMem0,
  chunking: benchChunking,
  'large-burst': benchLargeBurst,
};
const ALL = { ...BENCHES, ...FULL };

const wanted = parse(process.argv.slice(2));
const url = process.env.TEST_DATABASE_URL ?? '';
if (url === '')
  usage('Set TEST_DATABASE_URL to a PostgreSQL 17 with pgvector: the raw parts run on it beside the service.');

let ending: Promise<never> | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(130));
// What is removed breaks off what still uses it.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    if (ending !== undefined) return;
    console.error(error);
    void end(1);
  });
}

const machine = await describeMachine(url);
const service = await Service.start(url);
const corpora = new Corpora(service);
let failures = 0;
for (const [name, bench] of Object.entries(wanted)) {
  await run(name, bench).catch((error: unknown) => {
    if (ending !== undefined) return;
    failures += 1;
    console.error(`${name} failed, its section stays as it was:`, error);
  });
}
process.stderr.write(`${Math.round(performance.now() / 1000)} s in all\n`);
await end(failures > 0 ? 1 : 0);

async function run(name: string, bench: Bench): Promise<void> {
  const started = performance.now();
  const before = await busyness();
  const printed: string[] = [];
  for await (const table of bench(service, corpora)) {
    const text = printTable(table);
    process.stdout.write(`\n${text}`);
    printed.push(text);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(new Date());
  const command = `\`npm run bench -- ${name}\`, ${date}, ${seconds} s`;
  const facts = `${command}. ${machine}; ${describeBusyness(before, await busyness())}.`;
  process.stdout.write(`\n${facts}\n`);
  await writeSection(name, [...printed, facts].join('\n'));
}

/** Removes what was made, once: a terminal sends its signal to this process and through npm again. */
function end(code: number): Promise<never> {
  ending ??= removeAll().then(() => process.exit(code));
  return ending;
}

function parse(args: readonly string[]): Readonly<Record<string, Bench>> {
  const names = args.filter((arg) => arg !== '--full');
  const unknown = names.filter((name) => !(name in ALL));
  if (unknown.length > 0) usage(`There is no ${unknown.join(', ')}. There are: ${Object.keys(ALL).join(', ')}.`);
  if (names.length === 0) return args.includes('--full') ? ALL : BENCHES;
  return Object.fromEntries(Object.entries(ALL).filter(([name]) => names.includes(name)));
}

function usage(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(64);
}
