import type pg from 'pg';
import { halfvec } from '../src/server/store/binary.ts';
import { type SpaceVectors, vectorParts } from '../src/server/store/vector-layout.ts';
import { clustered } from './clustered.ts';
import type { ChunkKey, Service } from './service.ts';
import { random, text } from './texts.ts';

/** Cut by 512 characters, as the built-in config does, a memory has about so many chunks. */
const CHUNKS_A_MEMORY = 100;
const CHARACTERS_A_CHUNK = 450;
const BATCH = 20;
const QUESTIONS = 200;
const RECALL_QUESTIONS = 100;
const RECALL_SIZE = 10;

/** Beyond so many chunks a space gets an index. */
const EXACT_SCAN_LIMIT = 5000;

/** A space; all vectors of a large one are in its index. */
export interface Corpus extends SpaceVectors {
  dimensions: number;
  embedderUrl: string;
  questions: readonly string[];
  /** The vector of a question, as its embedder gives it. */
  vector(question: string): Float32Array;
}

/** The spaces of a run. Each is stored when a bench first asks for it, through the service, and then shared. */
export class Corpora {
  readonly #service: Service;
  readonly #made = new Map<string, Promise<Corpus>>();
  readonly #nearest = new Map<string, ReadonlySet<string>>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Benches only read it: who changes it takes a space of their own. */
  of(chunks: number, dimensions: number, more: { vectorQuantization?: 'BINARY' } = {}): Promise<Corpus> {
    const key = [`${chunks} × ${dimensions}`, ...Object.values(more)].join(', ');
    const corpus = this.#made.get(key) ?? this.#fill(key, { chunks, dimensions, more });
    this.#made.set(key, corpus);
    return corpus;
  }

  /** The same for who deletes it: those that come later get a new one. */
  async take(chunks: number, dimensions: number): Promise<Corpus> {
    const corpus = await this.of(chunks, dimensions);
    this.#made.delete(`${chunks} × ${dimensions}`);
    return corpus;
  }

  async #fill(
    name: string,
    { chunks, dimensions, more }: { chunks: number; dimensions: number; more: object },
  ): Promise<Corpus> {
    const next = random(chunks + dimensions);
    const started = performance.now();
    const seconds = () => Math.round((performance.now() - started) / 1000);
    const { spaceId, embedderId } = await this.#service.clusteredSpace(name, dimensions, more);
    const ofMemory = chunks > CHUNKS_A_MEMORY ? CHUNKS_A_MEMORY : 1;
    for (let left = Math.ceil(chunks / ofMemory); left > 0; left -= BATCH) {
      const texts = Array.from({ length: Math.min(left, BATCH) }, () => text(next, CHARACTERS_A_CHUNK * ofMemory));
      await this.#service.store(spaceId, texts, BATCH);
    }
    const stored = seconds();
    const key = { spaceId, embedderId };
    const layout = chunks > EXACT_SCAN_LIMIT ? await this.#service.indexed(key) : await this.#service.layout(key);
    process.stderr.write(`stored ${name} in ${stored} s, ready after ${seconds()} s\n`);
    const questions = Array.from({ length: QUESTIONS }, () => text(next, 60));
    const vectors = new Map(questions.map((question) => [question, clustered(question, dimensions)]));
    const vector = (question: string) => vectors.get(question) ?? clustered(question, dimensions);
    const embedderUrl = await this.#service.clusteredUrl();
    return { spaceId, embedderId, dimensions, embedderUrl, layout, questions, vector };
  }

  /**
   * The chunks that an exact scan finds for a question, as `memory id/sequence`; asked once and remembered. The distances
   * are those that the service computes, of halves.
   */
  async nearest(client: pg.Client, corpus: Corpus, question: string, size: number): Promise<ReadonlySet<string>> {
    const key = `${corpus.spaceId} ${size} ${question}`;
    const known = this.#nearest.get(key);
    if (known !== undefined) return known;
    const parts = vectorParts(corpus, '$2').map(
      ({ table, rows }) =>
        `select memory_id, sequence, v.embedding <#> $1::halfvec as distance from ${table} v where ${rows}`,
    );
    const scan = `select memory_id, sequence from (${parts.join(' union all ')}) hit order by distance + 0 limit ${size}`;
    const { rows } = await client.query<{ memory_id: string; sequence: number }>({
      name: `nearest ${corpus.spaceId} ${size}`,
      text: scan,
      values: [halfvec(corpus.vector(question)), corpus.spaceId],
    });
    const found = new Set(rows.map(({ memory_id: memory, sequence }) => `${memory}/${sequence}`));
    this.#nearest.set(key, found);
    return found;
  }

  /** The mean share of the ten nearest chunks that a search finds, over a hundred questions. */
  async recall(
    client: pg.Client,
    corpus: Corpus,
    search: (question: string) => Promise<readonly ChunkKey[]>,
  ): Promise<number> {
    const questions = corpus.questions.slice(0, RECALL_QUESTIONS);
    let found = 0;
    for (const question of questions) {
      const nearest = await this.nearest(client, corpus, question, RECALL_SIZE);
      const hits = (await search(question)).slice(0, RECALL_SIZE);
      found += hits.filter((chunk) => nearest.has(`${chunk.memoryId}/${chunk.chunkSequenceNumber}`)).length;
    }
    return found / (RECALL_SIZE * questions.length);
  }
}
