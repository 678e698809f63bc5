import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NamedOperation } from '../../../shared/operations/operation.ts';
import { openApiDocument } from '../../openapi/document.ts';
import type { Calls } from '../calls.ts';
import { admit } from './admission.ts';
import { JSON_CONTENT_TYPE } from './errors.ts';
import { type StaticFile, sendStatic } from './static-file.ts';

/** `/v1/openapi.json` is rate-limited like any call below `/v1` without a key. */
const OPENAPI_OPERATION: NamedOperation = {
  name: 'GetOpenApi',
  auth: 'none',
  mutates: false,
  permission: undefined,
  readOnlyKey: 'allowed',
  spaceBoundKey: 'allowed',
  errors: [],
};

/** Serves the OpenAPI document, without a key. It is built at the first request, as most servers never get one. */
export function addOpenApiRoutes(server: FastifyInstance, calls: Calls, version: string): void {
  let built: Promise<StaticFile> | undefined;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    built ??= toFile(JSON.stringify(openApiDocument(version)));
    await sendStatic(request, reply, await built);
    return reply;
  };
  const method = ['GET', 'HEAD'];
  server.route({ method, url: '/openapi.json', handler });
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => admit(calls, OPENAPI_OPERATION, request, reply);
  server.route({ method, url: '/v1/openapi.json', onRequest, handler });
}

async function toFile(text: string): Promise<StaticFile> {
  const body = Buffer.from(text);
  return {
    contentType: JSON_CONTENT_TYPE,
    etag: `"${createHash('sha256').update(body).digest('hex')}"`,
    body,
    encoded: [{ encoding: 'gzip', body: await promisify(gzip)(body) }],
  };
}
