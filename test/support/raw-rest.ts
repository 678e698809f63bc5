import { connect } from 'node:net';
import type { ErrorCode } from '../../src/shared/errors.ts';
import type { TestServer } from './server.ts';
import type { Json } from './wire.ts';

export interface RawRequest {
  key?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is; objects go out as JSON with its content type. */
  body?: string | Uint8Array | FormData | ReadableStream | Readonly<Record<string, unknown>>;
  signal?: AbortSignal;
}

interface RawAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The parsed body; undefined where it is no JSON. */
  json: Json;
  /** Of an error body; empty strings otherwise. */
  error: { code: ErrorCode | ''; message: string; details: string };
}

/**
 * One request to the REST port with full control of what is sent. Whatever it is, the answer must not be a 500, must not
 * show the inside of the server, and must carry the headers of every response.
 */
export async function raw(server: TestServer, target: string, request: RawRequest = {}): Promise<RawAnswer> {
  const [method = 'GET', path = '/'] = target.includes(' ') ? target.split(' ', 2) : ['GET', target];
  const { key, headers = {}, signal } = request;
  const { body, type } = bodyOf(request.body);
  const response = await fetch(`${server.rest}${path}`, {
    method,
    headers: { ...type, ...(key === undefined ? {} : { 'x-api-key': key }), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    ...(signal === undefined ? {} : { signal }),
  } as RequestInit);
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const answer = { status: response.status, headers: response.headers, bytes, text, json: parsed(text) };
  expectHarmless(target, answer);
  return { ...answer, error: answer.json?.error ?? { code: '', message: '', details: '' } };
}

/** Sends bytes to the REST port and reads until the server closes or nothing comes for a while. */
export async function rawSocket(server: TestServer, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(server.rest);
  return await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const pieces: Buffer[] = [];
    socket.setTimeout(10_000, () => socket.destroy(new Error('the server neither answered nor closed')));
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces).toString('utf8')));
  });
}

function bodyOf(body: RawRequest['body']): {
  body: NonNullable<RequestInit['body']> | undefined;
  type: Record<string, string>;
} {
  if (body === undefined) return { body, type: {} };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { body: body as NonNullable<RequestInit['body']>, type: { 'content-type': 'application/json' } };
  }
  if (body instanceof FormData || body instanceof ReadableStream) return { body, type: {} };
  return { body: JSON.stringify(body), type: { 'content-type': 'application/json' } };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const INSIDE = /node_modules|\.(ts|js):\d+|\bat [\w.<>]+ \(|select .+ from|insert into/i;

function expectHarmless(target: string, { status, headers, text, json }: Omit<RawAnswer, 'error'>): void {
  if (status === 500) throw new Error(`${target} answered 500: ${text}`);
  if (status >= 400 && INSIDE.test(text)) throw new Error(`${target} shows the inside of the server: ${text}`);
  for (const name of ['x-request-id', 'x-service-version']) {
    if (!headers.get(name)) throw new Error(`${target} answered ${status} without ${name}`);
  }
  if (status < 400 || text === '' || typeof json?.state === 'string') return;
  if (headers.get('content-type') !== 'application/json; charset=utf-8' || typeof json?.error?.code !== 'string') {
    throw new Error(`${target} answered ${status} with something else than the error body: ${text}`);
  }
}
