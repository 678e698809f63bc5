import { isPairAt } from '../../../shared/text.ts';

/** Counts the tokens of a text in o200k_base; `onRun` is called for each run that is encoded on its own. */
export type TokenCounter = (text: string, onRun?: (end: number, tokens: number) => void) => number;

/**
 * The pattern by which o200k_base splits a text before it merges bytes, as published with the encoding. The package does
 * not export it, and counting run by run keeps hostile input linear.
 */
const CONTRACTION = "(?:'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]))?";
const RUN = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${CONTRACTION}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${CONTRACTION}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

/**
 * Merging takes quadratic time in the length of a run (hours for a run of 1 MB of one letter), so longer runs are counted
 * in parts. A cut can lower the count: in 45,000 random runs of eleven alphabets by at most two tokens. Twice that is added
 * per cut, so that the count is never below that of the encoding.
 */
const LONGEST_RUN = 512;
const TOKENS_PER_CUT = 4;

/** Runs repeat as words do; caching their counts makes counting about ten times faster. */
const CACHED_RUNS = 50_000;

export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  // By default the package caches 100,000 runs of any length; 5,000 of the longest are 5 MB.
  setMergeCacheSize(5000);
  // Text that looks like a control token is counted as ordinary text.
  const options = { disallowedSpecial: new Set<string>() };
  const cache = new Map<string, number>();

  function countRun(run: string): number {
    const known = cache.get(run);
    if (known !== undefined) return known;
    let tokens = 0;
    for (let at = 0; at < run.length; ) {
      const end = partEnd(run, at);
      tokens += countTokens(run.slice(at, end), options) + (at === 0 ? 0 : TOKENS_PER_CUT);
      at = end;
    }
    if (cache.size >= CACHED_RUNS) cache.clear();
    if (run.length <= 32) cache.set(run, tokens);
    return tokens;
  }

  return (text, onRun) => {
    let total = 0;
    for (const { 0: run, index } of text.matchAll(RUN)) {
      const tokens = countRun(run);
      total += tokens;
      onRun?.(index + run.length, tokens);
    }
    return total;
  };
}

/** The end of the next part, never inside a surrogate pair. */
function partEnd(run: string, from: number): number {
  const end = Math.min(run.length, from + LONGEST_RUN);
  return end > from + 1 && isPairAt(run, end - 1) ? end - 1 : end;
}
