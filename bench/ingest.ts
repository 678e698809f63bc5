import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { elapsed, interleaved } from './measure.ts';
import { DIMENSIONS, LiveIndex, RawTables } from './raw-tables.ts';
import { atLeast, type Table, table } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const DOCUMENTS = 10;
const CHUNKS_A_DOCUMENT = 200;
const UNIT = 'ms a chunk';

/** Of the memories of about a hundred chunks each. */
const MEMORIES = 100;
const CHUNKS_A_MEMORY = 100;
const CHARACTERS_A_CHUNK = 450;
const LIVE_ROWS = 10_000;
const STORED_ROWS = 1000;

/**
 * Long documents, from the first request until everything can be retrieved, against the parts that every ingestion needs:
 * embedding the same texts on one thread, and storing texts and vectors in batches with binary parameters on one connection.
 */
export async function* benchIngest(service: Service): AsyncGenerator<Table> {
  const next = random(2);
  const chunks = Array.from({ length: DOCUMENTS * CHUNKS_A_DOCUMENT }, () => text(next, 400));
  const documents = Array.from({ length: DOCUMENTS }, (_, index) =>
    chunks.slice(index * CHUNKS_A_DOCUMENT, (index + 1) * CHUNKS_A_DOCUMENT).join('\n\n'),
  );
  const raw = await RawTables.create(service.databaseUrl);
  const rounds = await interleaved({
    'embed and store, raw': () => elapsed(chunks.length, UNIT, () => raw.store(chunks)),
    svc: async (round) => {
      const { spaceId } = await service.space(`Long documents ${round}`, DIMENSIONS);
      return elapsed(chunks.length, UNIT, () => service.store(spaceId, documents, 250));
    },
  });
  await raw.close();
  yield table(
    `${DOCUMENTS} documents of ${CHUNKS_A_DOCUMENT} chunks, from the first request until all can be retrieved`,
    rounds,
    {
      svc: [{ over: 'embed and store, raw', by: UNIT }],
    },
  );
  yield benchLiveIndex(service, next);
}

/** Texts that are embedded, stored and searchable, against vectors alone that enter an HNSW index one by one. */
async function benchLiveIndex(service: Service, next: () => number): Promise<Table> {
  const texts = Array.from({ length: MEMORIES }, () => text(next, CHUNKS_A_MEMORY * CHARACTERS_A_CHUNK));
  const rows = embedLexical(
    Array.from({ length: LIVE_ROWS }, () => text(next, 400)),
    DIMENSIONS,
    'document',
  );
  const vectors = Array.from({ length: LIVE_ROWS }, (_, row) =>
    rows.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS),
  );
  const live = await LiveIndex.create(service.databaseUrl, vectors);
  const perSecond = (count: number, started: number) => ({
    'chunks/s': (count / (performance.now() - started)) * 1000,
  });
  const contenders = { live: `vectors into a table with an HNSW index over ${LIVE_ROWS}`, svc: 'svc' } as const;
  const rounds = await interleaved({
    [contenders.live]: async () => {
      const started = performance.now();
      await live.store(STORED_ROWS);
      return perSecond(STORED_ROWS, started);
    },
    [contenders.svc]: async (round) => {
      const space = await service.space(`Memories of many chunks ${round}`, DIMENSIONS);
      const started = performance.now();
      await service.store(space.spaceId, texts, 20);
      return perSecond(await service.chunksOf(space), started);
    },
  });
  await live.close();
  return table(
    `${MEMORIES} memories of ${CHUNKS_A_MEMORY} chunks × ${DIMENSIONS}, from the first request until all can be retrieved`,
    rounds,
    { [contenders.svc]: [{ over: contenders.live, by: 'chunks/s', promise: atLeast(5, 15) }] },
  );
}
