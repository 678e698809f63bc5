import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { RetrieveMemoryEventSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import {
  NDJSON_CONTENT_TYPE,
  ndjsonLine,
  negotiateStream,
  SSE_CLOSE,
  SSE_CONTENT_TYPE,
  SSE_KEEP_ALIVE,
  sseFrame,
} from '../../../../src/shared/json/event-frames.ts';

const event = create(RetrieveMemoryEventSchema, {
  event: { case: 'abstractReply', value: { text: 'one\ntwo\r\n\nthree', resultSetId: 'r' } },
});
const json = '{"abstractReply":{"text":"one\\ntwo\\r\\n\\nthree","relevanceScore":0,"resultSetId":"r"}}';

test('an event is one line, or one frame, whatever its text', () => {
  expect(ndjsonLine(RetrieveMemoryEventSchema, event)).toBe(`${json}\n`);
  expect(sseFrame(RetrieveMemoryEventSchema, event)).toBe(`event: item\ndata: ${json}\n\n`);
});
test('no event contains a line end', () => {
  const text = 'next line \u0085 line \u2028 paragraph \u2029 kept: \u00e9\u2027\u202a';
  const reply = create(RetrieveMemoryEventSchema, { event: { case: 'abstractReply', value: { text } } });
  for (const written of [ndjsonLine(RetrieveMemoryEventSchema, reply), sseFrame(RetrieveMemoryEventSchema, reply)]) {
    const line = written.slice(written.indexOf('{')).trimEnd();
    expect(line).toContain('next line \\u0085 line \\u2028 paragraph \\u2029 kept: \u00e9\u2027\u202a');
    // Where Python's str.splitlines breaks.
    const breaks = ['\n', '\v', '\f', '\r', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'];
    expect(breaks.filter((mark) => line.includes(mark))).toEqual([]);
    expect(JSON.parse(line).abstractReply.text).toBe(text);
  }
});
test('the ends and headers', () => {
  expect(SSE_CLOSE).toBe('event: close\ndata: {"type":"completed"}\n\n');
  expect(SSE_KEEP_ALIVE).toMatch(/^:[^\n]*\n\n$/);
  expect(NDJSON_CONTENT_TYPE).toBe('application/x-ndjson; charset=utf-8');
  expect(SSE_CONTENT_TYPE).toBe('text/event-stream; charset=utf-8');
});
test.each([
  [undefined, 'ndjson'],
  ['', 'ndjson'],
  ['*/*', 'ndjson'],
  ['text/*', 'ndjson'],
  ['application/json', 'ndjson'],
  ['garbage;;;,', 'ndjson'],
  ['application/x-ndjson', 'ndjson'],
  ['text/event-stream', 'sse'],
  ['Text/Event-Stream; charset=utf-8', 'sse'],
  ['text/event-stream, application/json', 'sse'],
  ['text/event-stream, */*', 'sse'],
  ['text/event-stream;q=0.5, */*', 'ndjson'],
  ['text/event-stream;q=0.5, */*;q=0.1', 'sse'],
  ['text/event-stream;q=0.5, application/*', 'ndjson'],
  ['text/event-stream, application/x-ndjson', 'ndjson'],
  ['application/x-ndjson;q=0.5, text/event-stream', 'sse'],
  ['application/x-ndjson;q=0.9, text/event-stream;q=0.8', 'ndjson'],
  ['application/x-ndjson;q=0, text/event-stream;q=0.1', 'sse'],
  ['text/event-stream;q=0', 'ndjson'],
  ['text/event-stream;q=2', 'ndjson'],
  ['text/event-stream;q=x', 'ndjson'],
  ['text/event-stream;q=0.1, text/event-stream;q=0.9, application/x-ndjson;q=0.5', 'sse'],
])('Accept: %s gives %s', (accept, format) => {
  expect(negotiateStream(accept)).toBe(format);
});
