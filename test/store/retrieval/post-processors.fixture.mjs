/**
 * A module of post processors for the tests of retrieval, each named after what it does.
 *
 * @typedef {import('../../../src/server/workers/post-processor/types.ts').Input} Input
 * @typedef {import('../../../src/server/workers/post-processor/types.ts').Output} Output
 * @typedef {import('../../../src/server/workers/post-processor/types.ts').Tools} Tools
 * @typedef {import('../../../src/server/workers/post-processor/types.ts').PostProcessorFactory} PostProcessorFactory
 * @typedef {{ output?: Output, candidates?: number, rerankerId?: string, llmId?: string, maxTokens?: number }} Config
 */

const never = new Promise(() => {});

/** @param {unknown} seen @returns {Output} */
const tell = (seen) => ({ abstract: { text: JSON.stringify(seen) } });

/** @type {Record<string, (input: Input, tools: Tools, config: Config) => AsyncIterable<Output>>} */
const does = {
  async *mixes({ items }) {
    yield { abstract: { text: 'so it is' } };
    const [first, , third] = items.sort((a, b) => (a.memory.createdAt ?? 0) - (b.memory.createdAt ?? 0));
    if (first === undefined || third === undefined) return;
    yield { item: { ...third, score: 7 } };
    yield { status: { code: 'MY_OWN', details: { reason: 'because' } } };
    yield { item: { memory: first.memory, score: -1 } };
  },
  async *tells(input, _tools, config) {
    yield tell({ ...input, signal: input.signal.aborted, config });
  },
  async *passes({ items }) {
    yield* items.map((item) => ({ item }));
  },
  async *fails({ items: [item] }) {
    if (item !== undefined) yield { item };
    throw new Error('no');
  },
  // biome-ignore lint/correctness/useYield: it is to fail before its first output
  async *throws() {
    throw new Error('no');
  },
  plain() {
    throw new Error('no');
  },
  async *hangs() {
    await never;
    yield tell('never');
  },
  async *yields({ items: [item] }, _tools, { output }) {
    if (item !== undefined) yield { item };
    yield/** @type {Output} */ (output);
  },
  async *yieldsFunction({ items: [item] }) {
    if (item !== undefined) yield { item };
    yield/** @type {any} */ ({ abstract: { text: () => 'x' } });
  },
  async *neverStops({ items: [item] }) {
    while (item !== undefined) yield { item };
  },
  async *usesTools({ items: [item], message }, tools, { rerankerId = '', llmId = '' }) {
    const [, score = 0] = await tools.rerank(rerankerId, message, ['chunk', 'boiler']);
    if (item !== undefined) yield { item: { ...item, score: Math.round(score) } };
    yield { abstract: { text: await tools.complete(llmId, 'system', 'hello', { maxTokens: 9 }) } };
  },
  async *completes(_input, tools, { llmId = '' }) {
    const text = await tools.complete(llmId, '', 'one two three', { maxTokens: 2 }).catch(({ message }) => message);
    yield { abstract: { text } };
  },
  async *exits({ items: [item] }) {
    if (item !== undefined) yield { item };
    process.exit(0);
  },
  async *loops({ items: [item] }) {
    if (item !== undefined) yield { item };
    for (;;);
  },
};

/** @type {PostProcessorFactory[]} */
export const factories = [
  ...Object.entries(does).map(([name, process]) => ({
    name,
    create: (/** @type {any} */ config, /** @type {Tools} */ tools) => ({
      candidates: config.candidates,
      process: (/** @type {Input} */ input) => process(input, tools, config),
    }),
  })),
  {
    name: 'refuses',
    create() {
      throw new Error('a must be larger');
    },
  },
  { name: 'isNothing', create: () => /** @type {any} */ (undefined) },
  {
    name: 'loopsInCreate',
    create() {
      for (;;);
    },
  },
];
