import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { clustered } from './clustered.ts';

/**
 * An embedder in the form of OpenAI, in a process of its own, so that it takes no time of those who measure. Its models are
 * called `clustered-DIMENSIONS`. Prints its address.
 */
const server = createServer(async (request, response) => {
  const { input, model } = (await json(request)) as { input: string[]; model: string };
  const dimensions = Number(model.replace('clustered-', ''));
  const data = input.map((text, index) => {
    const embedding = Buffer.from(clustered(text, dimensions).buffer).toString('base64');
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data, model, usage }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
