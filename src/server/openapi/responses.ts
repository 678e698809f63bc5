import { NDJSON_CONTENT_TYPE, SSE_CONTENT_TYPE } from '../../shared/json/event-frames.ts';
import type { RestRoute } from '../../shared/operations/operation.ts';
import type { CompiledRoute } from '../../shared/operations/routes.ts';
import type { Components } from './components.ts';
import { COMMON_HEADERS, type HeaderName, headers, RATE_LIMIT_HEADERS } from './headers.ts';
import { messageProse } from './prose.ts';
import type { Part, Schema } from './schema.ts';

const EVERY = [...COMMON_HEADERS, ...RATE_LIMIT_HEADERS];

/** The responses of a route that went well, by status. */
export function successResponses({ operation, route }: CompiledRoute, components: Components): Record<string, Part> {
  const { output } = operation.rpc;
  switch (route.response) {
    case 'none':
      return { [route.success]: response('Done; there is no body.', EVERY) };
    case 'content':
      return contentResponses('*/*', 'with its own media type', ['ETag']);
    case 'text':
      // The text is extracted and kept without a hash, and so there is nothing to compare.
      return contentResponses('text/plain', 'as `text/plain; charset=utf-8`', []);
    case 'events':
      return { [route.success]: eventStream(components.message(output, 'response')) };
    default: {
      const content = { 'application/json': { schema: components.message(output, 'response') } };
      const description = messageProse(output) || descriptionOf(route);
      return { [route.success]: response(description, withLocation(route), content) };
    }
  }
}

function descriptionOf({ success }: RestRoute): string {
  return success === 201 ? 'The new resource.' : 'The answer.';
}

function withLocation(route: RestRoute): readonly HeaderName[] {
  return route.location === undefined ? EVERY : ['Location', ...EVERY];
}

function response(description: string, names: readonly HeaderName[], content?: Part): Part {
  return { description, headers: headers(names), ...(content === undefined ? {} : { content }) };
}

/** Each line or frame is one event; the schema is that of an event, since it is what a reader has in hand. */
function eventStream(event: Schema): Part {
  const [ndjson = '', sse = ''] = [NDJSON_CONTENT_TYPE, SSE_CONTENT_TYPE].map((type) => type.split(';', 1)[0] ?? '');
  return response('A stream; the schema is that of one event, in a line or in the `data:` of a frame.', EVERY, {
    [ndjson]: { schema: event },
    [sse]: { schema: event },
  });
}

function contentResponses(mediaType: string, how: string, tag: readonly HeaderName[]): Record<string, Part> {
  const content = { [mediaType]: { schema: {} } };
  const names: readonly HeaderName[] = [...tag, 'Accept-Ranges', 'Content-Disposition', ...EVERY];
  const unchanged = response('Nothing has changed since the ETag that the request names.', names);
  return {
    200: response(`All of it, ${how}.`, names, content),
    206: response('The range that was asked for.', ['Content-Range', ...names], content),
    ...(tag.length > 0 ? { 304: unchanged } : {}),
    416: response('The range begins after the end.', ['Content-Range', ...names]),
  };
}

/** Request headers that ask for a part of a document, or for one that has changed. */
export function contentParameters({ response: kind }: RestRoute): Part[] {
  if (kind === 'text') return [header('Range', 'One range: `bytes=0-99`.')];
  if (kind !== 'content') return [];
  return [
    header('Range', 'One range: `bytes=0-99`.'),
    header('If-None-Match', 'An ETag; while it still matches, the answer is 304 without a body.'),
    header('If-Range', 'An ETag; if it does not match, the range is ignored and all is sent.'),
  ];
}

function header(name: string, description: string): Part {
  return { name, in: 'header', description, schema: { type: 'string' } };
}
