export interface ContentType {
  /** `type/subtype` in lower case, without parameters. */
  essence: string;
  /** Names in lower case, quotes of values removed. */
  parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g;

export function parseContentType(header: string): ContentType {
  const [essence = ''] = header.split(';', 1);
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.slice(essence.length).matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain);
  }
  return { essence: essence.trim().toLowerCase(), parameters };
}
