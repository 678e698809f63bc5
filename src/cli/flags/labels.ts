import { usageError } from '../failure.ts';
import type { FlagValues } from './flag.ts';
import { pairs } from './kinds.ts';

const replacement = pairs('--replace-labels <key=value>', 'Replace all labels (repeatable; "" removes all)');

/** How an update changes labels. */
export const LABEL_UPDATE_FLAGS = {
  replaceLabels: {
    ...replacement,
    read: (texts) => (texts.length === 1 && texts[0] === '' ? {} : replacement.read(texts)),
  } satisfies typeof replacement,
  mergeLabels: pairs('--merge-labels <key=value>', 'Labels to add or overwrite (repeatable)'),
};

interface LabelChange {
  labelUpdate?: { case: 'replaceLabels' | 'mergeLabels'; value: { labels: Record<string, string> } };
}

/** The member of an update request that the flags ask for; empty when neither was given. */
export function labelChange({ replaceLabels, mergeLabels }: FlagValues<typeof LABEL_UPDATE_FLAGS>): LabelChange {
  if (replaceLabels !== undefined && mergeLabels !== undefined) {
    throw usageError('Give --replace-labels or --merge-labels, not both');
  }
  if (replaceLabels !== undefined) return { labelUpdate: { case: 'replaceLabels', value: { labels: replaceLabels } } };
  if (mergeLabels !== undefined) return { labelUpdate: { case: 'mergeLabels', value: { labels: mergeLabels } } };
  return {};
}
