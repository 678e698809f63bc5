import type { Answer } from '../../support/wire.ts';

/** A call that the table of operations cannot make: another form of an operation, or the proxy. */
export async function sendRest(
  base: string,
  path: string,
  key: string | undefined,
  init: RequestInit = {},
): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  const response = await fetch(`${base}${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) return { ok: false, ...JSON.parse(text).error, events: [] };
  const isOne = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { ok: true, body: isOne ? JSON.parse(text) : {}, events: [] };
}

/** A multipart body of a JSON part and one file. */
export function multipart(part: string, json: unknown): FormData {
  const form = new FormData();
  form.append(part, JSON.stringify(json));
  form.append('file', new Blob(['From a form.'], { type: 'text/plain' }), 'note.txt');
  return form;
}
