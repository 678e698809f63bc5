const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The first and the last UUID whose text can match a pattern of LIKE, as far as its beginning tells: an index finds those
 * between them, while matching texts reads every row. All UUIDs when the pattern begins with anything else.
 */
export function idRange(pattern: string): [first: string, last: string] {
  const [prefix = ''] = /^[0-9a-f-]*/.exec(pattern) ?? [];
  const range = [LOWEST, HIGHEST].map((filler) => prefix + filler.slice(prefix.length));
  const [first = LOWEST, last = HIGHEST] = range.every((id) => UUID.test(id)) ? range : [];
  return [first, last];
}
