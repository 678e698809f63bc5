import { isObject } from '../../shared/json/parse.ts';

/** What is wrong with text that is to be JSON. The parser's own words quote the text, which may hold a secret. */
const NOT_JSON = 'is not JSON';

interface VersionedJson {
  /** What the member holds; nothing where it is left out or unusable. */
  members: Record<string, unknown>;
  /** What is wrong with the text, as phrases that follow its name. */
  problems: string[];
}

/** Reads `{"version":1,"<member>":{…}}`, the form of what people write for the server by hand. */
export function readVersionedJson(text: string, member: string): VersionedJson {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { members: {}, problems: [NOT_JSON] };
  }
  if (!isObject(json)) return { members: {}, problems: ['must be a JSON object'] };
  const { version, [member]: members = {}, ...others } = json;
  const problems = Object.keys(others).map((key) => unknownKey(key));
  if (version === undefined) problems.push('version: missing, must be 1');
  else if (version !== 1) problems.push(`version: must be 1, got ${JSON.stringify(version)}`);
  if (isObject(members)) return { members, problems };
  return { members: {}, problems: [...problems, `${member}: must be an object`] };
}

export function unknownKey(path: string): string {
  return `${path}: unknown key`;
}
