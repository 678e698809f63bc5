export interface BatchLimits {
  maxTexts: number;
  /** UTF-16 units of all texts together. */
  maxCharacters: number;
}

/** A run of texts: from `start` to before `end`. */
export interface Batch {
  start: number;
  end: number;
}

/** Cuts the texts into runs within the limits, in order. A text that is longer than a batch may be gets one of its own. */
export function planBatches(texts: readonly string[], limits: BatchLimits): Batch[] {
  const batches: Batch[] = [];
  let start = 0;
  let characters = 0;
  for (const [index, text] of texts.entries()) {
    const full = index - start >= limits.maxTexts || characters + text.length > limits.maxCharacters;
    if (index > start && full) {
      batches.push({ start, end: index });
      start = index;
      characters = 0;
    }
    characters += text.length;
  }
  if (start < texts.length) batches.push({ start, end: texts.length });
  return batches;
}
