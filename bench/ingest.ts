import { elapsed, interleaved } from './measure.ts';
import { DIMENSIONS, RawTables } from './raw-tables.ts';
import { type Table, table } from './report.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const DOCUMENTS = 10;
const CHUNKS_A_DOCUMENT = 200;
const UNIT = 'ms a chunk';

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
}
