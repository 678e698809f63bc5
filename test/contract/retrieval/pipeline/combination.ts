/** How a provider behaves in a combination. */
export type Behaving = 'ok' | 'failing' | 'slow' | 'absent';

export interface Combination {
  reranker: Behaving;
  llm: Behaving;
  threshold: boolean;
  chronological: boolean;
}

const BEHAVING: readonly Behaving[] = ['ok', 'failing', 'slow', 'absent'];

export const COMBINATIONS: readonly Combination[] = BEHAVING.flatMap((reranker) =>
  BEHAVING.flatMap((llm) =>
    [true, false].flatMap((threshold) =>
      [true, false].map((chronological) => ({ reranker, llm, threshold, chronological })),
    ),
  ),
);

export const MAX_RESULTS = 4;
/** Fewer texts than `MAX_RESULTS` reach it. */
export const THRESHOLD = 0.6;

export const QUESTION = 'boiler cellar serviced march';
/** Oldest first. How many words of the question each holds is no matter of its age or its length. */
export const TEXTS = [
  'The boiler in the cellar was serviced in March.',
  'The cat prefers tuna.',
  'A cellar is no place for a piano, nor for two.',
  'Somebody serviced the boiler in the cellar long ago.',
  'March is cold.',
  'The boiler hums.',
  'In March the boiler was replaced, and the cellar painted white.',
  'Gates need hinges.',
] as const;
