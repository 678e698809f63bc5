import { fileURLToPath } from 'node:url';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addConsoleRoutes } from '../../../../../src/server/transport/rest/console.ts';

test.each(['/console/', '/console/build.js', '/console/reference/index.html'])(
  'without a build %s says what is missing, and no source is served',
  async (url) => {
    const server = fastify();
    server.setErrorHandler((error: Error & { code: string; details: string }, _request, reply) =>
      reply.send({ code: error.code, message: error.message, details: error.details }),
    );
    addConsoleRoutes(server, fileURLToPath(new URL('../../../../../src/console/', import.meta.url)));
    const answer = await server.inject({ url });
    expect(answer.json()).toEqual({
      code: 'NOT_FOUND',
      message: 'The console has not been built',
      details: 'build it with: npm run build',
    });
    await server.close();
  },
);
