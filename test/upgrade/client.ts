import type { Json } from '../support/wire.ts';

/** Calls over REST with one key. */
export interface Client {
  get(path: string): Promise<Json>;
  /** Null where there is none. */
  text(path: string): Promise<string | null>;
  send(method: string, path: string, body: Json): Promise<Json>;
  /** Ids of the chunks that a retrieval finds, in its order. */
  retrieve(request: Json): Promise<string[]>;
}

export function connect(base: string, key: string): Client {
  const call = async (method: string, path: string, body?: Json) => {
    const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { isFound: response.ok, text };
  };
  const json = async (method: string, path: string, body?: Json) => {
    const { isFound, text } = await call(method, path, body);
    if (!isFound) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as Json;
  };
  return {
    get: (path) => json('GET', path),
    async text(path) {
      const { isFound, text } = await call('GET', path);
      return isFound ? text : null;
    },
    send: json,
    async retrieve(request) {
      const { text } = await call('POST', '/v1/memories:retrieve', request);
      const events = text.split('\n').filter((line) => line !== '');
      return events.flatMap((line) => (JSON.parse(line) as Json).retrievedItem?.chunk.chunkId ?? []);
    },
  };
}
