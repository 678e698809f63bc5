import { DIMENSIONS, RawTables } from './raw-tables.ts';
import { type Comparison, compare } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const ROUNDS = 3;
const LONG_DOCUMENTS = 10;
const CHUNKS_PER_DOCUMENT = 200;

/**
 * From the first request until everything can be retrieved, against the parts that every ingestion needs: embedding the
 * same texts on one thread, and storing texts and vectors in batches with binary parameters on one connection.
 */
export async function benchIngest(service: Service): Promise<Comparison[]> {
  const next = random(2);
  const chunks = Array.from({ length: LONG_DOCUMENTS * CHUNKS_PER_DOCUMENT }, () => text(next, 400));
  const long = Array.from({ length: LONG_DOCUMENTS }, (_, index) =>
    chunks.slice(index * CHUNKS_PER_DOCUMENT, (index + 1) * CHUNKS_PER_DOCUMENT).join('\n\n'),
  );
  return [
    await compareIngest(service, `Ingest ${LONG_DOCUMENTS} documents of about ${CHUNKS_PER_DOCUMENT} chunks`, {
      documents: long,
      chunks,
    }),
  ];
}

async function compareIngest(
  service: Service,
  name: string,
  { documents, chunks }: { documents: readonly string[]; chunks: readonly string[] },
): Promise<Comparison> {
  const raw = await RawTables.create(service.databaseUrl);
  const rounds = { 'embed and store, raw': [] as number[], svc: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const rawMs = await elapsed(() => raw.store(chunks));
    const { spaceId } = await service.space(`${name} ${round}`, DIMENSIONS);
    const svcMs = await elapsed(() => service.store(spaceId, documents, 250));
    if (round < 0) continue;
    rounds['embed and store, raw'].push(rawMs / chunks.length);
    rounds.svc.push(svcMs / chunks.length);
  }
  await raw.close();
  return compare(name, 'ms a chunk', rounds);
}

async function elapsed(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
