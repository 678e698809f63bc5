/**
 * The kinds of inference targets, by the name of their lists, which is also their segment of a path and their noun on the
 * command line; in the order in which a target is looked for by its id alone.
 */
export const TARGET_KINDS = {
  embedders: { resource: 'EMBEDDER', title: 'Embedder', word: 'embedder', many: 'embedders' },
  rerankers: { resource: 'RERANKER', title: 'Reranker', word: 'reranker', many: 'rerankers' },
  llms: { resource: 'LLM', title: 'LLM', word: 'LLM', many: 'LLMs' },
} as const satisfies Readonly<Record<string, TargetKindRow>>;

interface TargetKindRow {
  /** As permissions and the enum TargetType name it. */
  resource: string;
  /** As it begins a sentence, and inside one. */
  title: string;
  word: string;
  /** Several, inside a sentence. */
  many: string;
}

export type TargetNoun = keyof typeof TARGET_KINDS;
export type TargetResource = (typeof TARGET_KINDS)[TargetNoun]['resource'];

export const TARGET_NOUNS = Object.keys(TARGET_KINDS) as readonly TargetNoun[];
