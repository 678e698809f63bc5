import { create, type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError as GrpcError, Metadata } from '@grpc/grpc-js';
import { type ErrorFacts, factsOf, STATUS_DETAILS } from '../../src/shared/error-details.ts';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../../src/shared/errors.ts';
import { type Status, StatusSchema } from '../../src/shared/gen/google/rpc/status_pb.ts';
import type { ContentChunk } from '../../src/shared/gen/service/v1/common_pb.ts';
import { decodeJson } from '../../src/shared/json/decode.ts';
import { encodeJson } from '../../src/shared/json/encode.ts';
import { OPERATIONS, type OperationKey } from '../../src/shared/operations/table.ts';
import type { Answer, CallOptions, Json, Wire } from './wire.ts';

const CONTENT: ReadonlySet<OperationKey> = new Set(['getMemoryContent', 'getMemoryText', 'getMemoryPageImageContent']);

/** gRPC: requests and responses pass through the same JSON form, so that a scenario cannot tell the wires apart. */
export function grpcWire(address: string): Wire {
  const client = new Client(address.replace(/^http:\/\//, ''), credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  return {
    name: 'gRPC',
    async call(key, request = {}, options = {}) {
      const { rpc } = OPERATIONS[key];
      // Members that are undefined are not there, as in the JSON of a REST body.
      const parsed = requestMessage(rpc, JSON.parse(JSON.stringify(request)) as typeof request);
      if ('ok' in parsed) return parsed;
      const messages = await send(client, rpc, parsed.message, options);
      return answerOf(key, rpc, messages);
    },
    close: () => client.close(),
  };
}

interface Received {
  messages: Message[];
  error: GrpcError | undefined;
}

/** A request that has no message, such as one with an unknown field, cannot be said in gRPC: it is refused as REST would. */
function requestMessage(rpc: DescMethod, request: Readonly<Record<string, unknown>>): { message: Message } | Answer {
  try {
    if (rpc.methodKind !== 'bidi_streaming') return { message: decodeJson(rpc.input, request) };
    const config = rpc.input.fields.find((field) => field.localName === 'config')?.message as DescMessage;
    const value = decodeJson(config, request);
    return { message: create(rpc.input, { message: { case: 'config', value } } as never) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ok: false, code: error.code, message: error.message, details: error.details, events: [] };
  }
}

function send(client: Client, rpc: DescMethod, request: Message, options: CallOptions): Promise<Received> {
  const metadata = new Metadata();
  if (options.key !== undefined) metadata.set('x-api-key', options.key);
  if (options.initToken !== undefined) metadata.set('x-service-init-token', options.initToken);
  const path = `/${rpc.parent.typeName}/${rpc.name}`;
  const write = (message: Message) => Buffer.from(toBinary(rpc.input, message));
  const read = (bytes: Buffer) => fromBinary(rpc.output, bytes) as Message;
  return new Promise((resolve) => {
    const messages: Message[] = [];
    const finish = (error?: GrpcError) => resolve({ messages, error });
    if (rpc.methodKind === 'unary') {
      client.makeUnaryRequest(path, write, read, request, metadata, (error, response) => {
        if (response !== undefined) messages.push(response);
        finish(error ?? undefined);
      });
      return;
    }
    const bidi =
      rpc.methodKind === 'bidi_streaming' ? client.makeBidiStreamRequest(path, write, read, metadata) : undefined;
    const call = bidi ?? client.makeServerStreamRequest(path, write, read, request, metadata);
    options.signal?.addEventListener('abort', () => call.cancel(), { once: true });
    call.on('data', (message: Message) => messages.push(message));
    call.on('error', (error: GrpcError) => finish(error));
    call.on('end', () => finish());
    bidi?.write(request);
    bidi?.end();
  });
}

function answerOf(key: OperationKey, rpc: DescMethod, { messages, error }: Received): Answer {
  const events = CONTENT.has(key) ? [] : messages.map((message) => JSON.parse(encodeJson(rpc.output, message)) as Json);
  if (error !== undefined) return failureOf(error, events);
  if (CONTENT.has(key)) return { ok: true, body: contentOf(messages as ContentChunk[]), events: [] };
  return rpc.methodKind === 'unary' ? { ok: true, body: events[0] ?? {}, events: [] } : { ok: true, body: {}, events };
}

function contentOf(chunks: readonly ContentChunk[]): Json {
  return { contentType: chunks[0]?.contentType, data: Buffer.concat(chunks.map((chunk) => chunk.data)) };
}

function failureOf(error: GrpcError, events: Json[]): Answer {
  const code = error.metadata.get('x-error-code')[0] as ErrorCode | undefined;
  if (code === undefined) throw error;
  if (ERROR_CODES[code].grpc !== error.code) throw new Error(`${code} came with the gRPC status ${error.code}`);
  const details = decodeURIComponent(String(error.metadata.get('x-error-details')[0] ?? ''));
  requireSameFacts(error, { code, details });
  return { ok: false, code, message: error.details, details: inJsonNames(details), events };
}

/** What the google.rpc details of a failure say is what the rest of its metadata says. */
function requireSameFacts(error: GrpcError, { code, details }: { code: ErrorCode; details: string }): void {
  const { status, facts } = statusDetailsOf(error);
  const told = (facts.violations ?? []).map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  const retryAfter = error.metadata.get('retry-after')[0];
  const isSame =
    status.code === error.code &&
    error.details.startsWith(status.message) &&
    facts.code === code &&
    details.startsWith(told) &&
    facts.retryAfterSeconds === (retryAfter === undefined ? undefined : Number(retryAfter)) &&
    (code !== 'NOT_FOUND' || facts.resource === undefined || error.details.startsWith(facts.resource.kind));
  if (!isSame) throw new Error(`${code}: ${details} came with other google.rpc details: ${JSON.stringify(facts)}`);
}

/** The google.rpc.Status in the metadata of a failure. Throws when there is none. */
export function statusDetailsOf(error: GrpcError): { status: Status; facts: ErrorFacts } {
  const [bytes] = error.metadata.get(STATUS_DETAILS);
  if (!(bytes instanceof Uint8Array)) throw new Error(`No google.rpc details came with: ${error.details}`);
  const status = fromBinary(StatusSchema, bytes);
  return { status, facts: factsOf(status) };
}

/** Fields have their names of the wire in errors; a scenario knows them as JSON does. */
function inJsonNames(details: string): string {
  return details.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => JSON_NAMES.get(name) ?? name);
}

const JSON_NAMES: ReadonlyMap<string, string> = namesOf(Object.values(OPERATIONS).map(({ rpc }) => rpc.input));

function namesOf(messages: readonly DescMessage[]): Map<string, string> {
  const seen = new Set(messages);
  for (const message of seen)
    for (const field of message.fields) if (field.message !== undefined) seen.add(field.message);
  return new Map([...seen].flatMap(({ fields }) => fields.map(({ name, jsonName }) => [name, jsonName] as const)));
}
