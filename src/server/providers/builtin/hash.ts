/** FNV-1a over UTF-16 code units, finished so that every bit depends on every character. `kind` keeps name spaces apart. */
export function hashString(text: string, kind: number, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ kind;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** A hash of two hashes in their order. */
export function hashPair(left: number, right: number, kind: number): number {
  return mix(Math.imul(left ^ kind, 0x9e3779b1) + right);
}

/** The finisher of MurmurHash3: a bijection of 32-bit integers without visible pattern. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
