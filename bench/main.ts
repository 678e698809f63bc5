/** What is fast and how we know: every figure is a ratio against a raw part, measured in the same run. */
import { benchIngest } from './ingest.ts';
import { printComparison } from './report.ts';
import { benchRetrieve } from './retrieve.ts';
import { Service } from './service.ts';
import { benchSmallMemories } from './small-memories.ts';
import { benchStartUp } from './start-up.ts';

const BENCHES = {
  retrieve: benchRetrieve,
  ingest: benchIngest,
  'small-memories': benchSmallMemories,
  'start-up': benchStartUp,
};

const url = process.env.TEST_DATABASE_URL;
if (url === undefined || url === '') {
  process.stderr.write(
    'Set TEST_DATABASE_URL to a PostgreSQL 17 with pgvector: the raw parts run on it beside the service.\n',
  );
  process.exit(64);
}
const wanted = process.argv.slice(2);
const service = await Service.start(url);
try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for await (const comparison of await bench(service)) process.stdout.write(printComparison(comparison));
  }
} catch (error) {
  // Reported before the database is dropped, which ends the raw connections with errors.
  console.error(error);
  process.exitCode = 1;
} finally {
  await service.stop();
}
