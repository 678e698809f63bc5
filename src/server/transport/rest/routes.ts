import type { DescMessage, Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { encodeJson } from '../../../shared/json/encode.ts';
import { sdkEventEncoder } from '../../../shared/json/sdk-events.ts';
import { type CompiledRoute, compileRoute } from '../../../shared/operations/routes.ts';
import { OPERATIONS, type OperationKey } from '../../../shared/operations/table.ts';
import type { CallContext } from '../../context.ts';
import { requireUnrestricted } from '../../service/permission.ts';
import { KEYLESS_BYTES } from '../body-budget.ts';
import type { BidiHandler, Calls, ContentHandler, StreamingHandler, UnaryHandler } from '../calls.ts';
import { admit } from './admission.ts';
import { encoded } from './compression.ts';
import { sendContent } from './content.ts';
import { JSON_CONTENT_TYPE } from './errors.ts';
import { readMultipart } from './multipart.ts';
import { fastifyPath } from './paths.ts';
import type { ReplyContext } from './raw.ts';
import { bodyJson, type DecodedRequest, decodeRequest, locationOf } from './request.ts';
import { sendEvents } from './stream.ts';

type EncodeJson = typeof encodeJson;

/** What all routes have in common. */
interface WireForm {
  maxBodyBytes: number;
  /** Creates the encoder of one stream. */
  eventEncoder: () => EncodeJson;
}

/** Registers every REST route of the operations table. */
export function addOperationRoutes(
  server: FastifyInstance,
  calls: Calls,
  { maxBodyBytes, sdkEvents = false }: { maxBodyBytes: number; sdkEvents?: boolean },
): void {
  const form = { maxBodyBytes, eventEncoder: sdkEvents ? sdkEventEncoder : () => encodeJson };
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    for (const route of operation.rest) {
      addRoute(server, calls, form, compileRoute(operation, route), name as OperationKey);
    }
  }
}

function addRoute(
  server: FastifyInstance,
  calls: Calls,
  form: WireForm,
  compiled: CompiledRoute,
  key: OperationKey,
): void {
  const { operation, route } = compiled;
  const { maxBodyBytes } = form;
  server.route({
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: fastifyPath(route.path),
    ...(operation.auth === 'none' ? { bodyLimit: Math.min(KEYLESS_BYTES, maxBodyBytes) } : {}),
    // Before the body is read, so that a request without a valid key costs no memory.
    onRequest: (request, reply) => admit(calls, operation, request, reply),
    preParsing: async (request) => refuseEncoded(request),
    handler: async (request, reply) => {
      const context = request.call?.context;
      if (context === undefined) throw new Error('a route ran without admission');
      request.isHandled = true;
      try {
        await new RestCall(compiled, key, calls, request, reply, context).run(form);
      } finally {
        request.share.release();
      }
      return reply;
    },
  });
}

/** Refuses compressed bodies, which would bypass every limit on their length. */
async function refuseEncoded({ headers }: FastifyRequest): Promise<void> {
  const encoding = headers['content-encoding'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new ServiceError('INVALID_REQUEST', 'Compressed request bodies are not supported', {
    details: `Content-Encoding: ${encoding}; send the body uncompressed`,
    http: 415,
  });
}

class RestCall {
  readonly #compiled: CompiledRoute;
  readonly #key: OperationKey;
  readonly #calls: Calls;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #context: CallContext;

  constructor(
    compiled: CompiledRoute,
    key: OperationKey,
    calls: Calls,
    request: FastifyRequest,
    reply: FastifyReply,
    context: CallContext,
  ) {
    this.#compiled = compiled;
    this.#key = key;
    this.#calls = calls;
    this.#request = request;
    this.#reply = reply;
    this.#context = context;
  }

  async run({ maxBodyBytes, eventEncoder }: WireForm): Promise<void> {
    const handler = this.#calls.handler(this.#key);
    const { multipartField } = this.#compiled.route;
    if (multipartField === undefined && isMultipart(this.#request)) {
      throw new ServiceError('INVALID_REQUEST', 'The body must be application/json', {
        details: 'this operation does not accept multipart/form-data',
      });
    }
    if (multipartField === undefined || !isMultipart(this.#request)) {
      const json = bodyJson(this.#request.body);
      // Only the parsed JSON is kept while the call is answered.
      this.#request.body = undefined;
      await this.#answer(handler, this.#decode(json), this.#context, eventEncoder);
      return;
    }
    const multipart = await readMultipart(this.#request, multipartField, maxBodyBytes, this.#context.signal);
    try {
      // The describing part of a batch may be the bare array.
      const json = Array.isArray(multipart.json) ? { [multipartField]: multipart.json } : multipart.json;
      await this.#answer(handler, this.#decode(json), { ...this.#context, files: multipart.files }, eventEncoder);
    } finally {
      await multipart.close();
    }
  }

  #decode(json: unknown): DecodedRequest {
    return decodeRequest(this.#compiled, this.#request, json);
  }

  async #answer(
    handler: unknown,
    { message, itemErrors }: DecodedRequest,
    known: CallContext,
    eventEncoder: () => EncodeJson,
  ): Promise<void> {
    const context = { ...known, itemErrors };
    const { operation, route } = this.#compiled;
    switch (route.response) {
      case 'events': {
        const events = this.#events(handler, message, context);
        const form = { desc: operation.rpc.output, encode: eventEncoder() };
        await sendEvents(this.#request, this.#reply, form, events, this.#replyContext(context));
        return;
      }
      case 'content':
      case 'text': {
        const source = await this.#calls.answered(context, async (now) => {
          requireUnrestricted(now);
          return await (handler as ContentHandler)(message, now);
        });
        await sendContent(this.#request, this.#reply, source, this.#replyContext(context));
        return;
      }
      default: {
        const answer = await this.#calls.answered(context, async (now) => {
          requireUnrestricted(now);
          return await (handler as UnaryHandler)(message, now);
        });
        await this.#send(operation.rpc.output, answer);
      }
    }
  }

  #replyContext({ signal, log }: CallContext): ReplyContext {
    return { signal, log, report: this.#request.report };
  }

  #events(handler: unknown, message: Message, context: CallContext): AsyncIterable<Message> {
    const { bodyField } = this.#compiled.route;
    const { input } = this.#compiled.operation.rpc;
    return this.#calls.streamed(context, (now) => {
      requireUnrestricted(now);
      if (bodyField === undefined) return (handler as StreamingHandler)(message, now);
      return (handler as BidiHandler)(firstMessage(input, bodyField, message), now);
    });
  }

  async #send(desc: DescMessage, message: Message): Promise<void> {
    const { route, operation } = this.#compiled;
    this.#reply.code(route.success);
    if (route.response === 'none') {
      this.#reply.send();
      return;
    }
    if (route.location !== undefined) this.#reply.header('location', locationOf(route.location, message));
    if (operation.showsSecret === true) this.#reply.header('cache-control', 'no-store');
    const body = await encoded(this.#request, this.#reply, encodeJson(desc, message));
    this.#reply.header('content-type', JSON_CONTENT_TYPE).send(body);
  }
}

function isMultipart(request: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

/** The client messages of a stream whose REST form is a body: one message with the body as `field`. */
async function* firstMessage(input: DescMessage, field: string, value: Message): AsyncIterable<Message> {
  const oneof = input.fields.find((candidate) => candidate.localName === field)?.oneof;
  yield create(input, { [oneof?.localName ?? field]: oneof === undefined ? value : { case: field, value } } as never);
}
