import type { TargetRow } from './target-rows.ts';
import { createTargetStore } from './targets.ts';

/** A reranker has nothing that other targets lack. */
export type RerankerOwn = Record<never, never>;

export type RerankerRow = TargetRow<RerankerOwn>;

export const rerankerStore = createTargetStore<RerankerOwn>({ name: 'reranker', columns: {} });
