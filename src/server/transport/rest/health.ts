import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../../lifecycle.ts';
import { JSON_CONTENT_TYPE } from './errors.ts';

/** The health endpoints, without a key. `/health` and `/livez` answer as long as the process does. */
export function addHealthRoutes(server: FastifyInstance, lifecycle: Lifecycle): void {
  const probes: Readonly<Record<string, () => boolean>> = {
    '/health': () => true,
    '/livez': () => true,
    '/readyz': () => lifecycle.serving,
    '/startupz': () => lifecycle.started,
  };
  for (const [path, healthy] of Object.entries(probes)) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (_request, reply) =>
        reply
          .code(healthy() ? 200 : 503)
          .header('content-type', JSON_CONTENT_TYPE)
          .send(JSON.stringify(bodyOf(lifecycle))),
    });
  }
}

/** `database` explains why `/readyz` fails although the state is READY. */
function bodyOf({ state, started, databaseAnswers }: Lifecycle): Record<string, unknown> {
  return { state, started, ...(databaseAnswers ? {} : { database: 'NOT_ANSWERING' }) };
}
