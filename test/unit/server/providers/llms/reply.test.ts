import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser } from '../../../../../src/server/providers/sse-parser.ts';
import { sse } from '../../../../support/stand-ins/chat.ts';
import { llmOf } from '../provider-clients.fixture.ts';
import { failure } from '../provider-http.fixture.ts';

const REQUEST = { system: '', user: 'Hello', sampling: { maxTokens: 64 } };
const options = (extra: { deadlineMs?: number } = {}) => ({ signal: new AbortController().signal, ...extra });

const token = (content: string) => sse({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = (reason: string) => sse({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const DONE = 'data: [DONE]\n\n';

/** The client after its server has streamed this. */
async function streaming(text: string, timeoutMs?: number) {
  const llm = await llmOf({}, {}, timeoutMs);
  llm.standIn.always({ kind: 'text', body: text, contentType: 'text/event-stream; charset=utf-8' });
  return llm;
}

describe('a stream', () => {
  it.each([
    ['with a reason', token('Hi') + finish('stop') + DONE, { text: 'Hi', finish: 'stop' }],
    ['with a reason alone', token('Hi') + finish('length'), { text: 'Hi', finish: 'length' }],
    ['with [DONE] alone', token('Hi') + DONE, { text: 'Hi', finish: 'stop' }],
    ['without a blank line', `${token('Hi')}data: [DONE]`, { text: 'Hi', finish: 'stop' }],
    [
      'with comments and other fields',
      `: ping\n\nevent: x\nid: 1\n${token('Hi')}: ping\n\n${DONE}`,
      { text: 'Hi', finish: 'stop' },
    ],
    ['with carriage returns', (token('Hi') + DONE).replaceAll('\n', '\r\n'), { text: 'Hi', finish: 'stop' }],
    [
      'with chunks that hold no choice',
      sse({ choices: [], usage: {} }) + token('Hi') + DONE,
      { text: 'Hi', finish: 'stop' },
    ],
    [
      'with text in the last chunk',
      sse({ choices: [{ delta: { content: 'Hi' }, finish_reason: 'tool_calls' }] }),
      { text: 'Hi', finish: 'other' },
    ],
  ])('may end %s', async (_name, text, reply) => {
    const { client } = await streaming(text);
    expect(await client.complete(REQUEST, options())).toEqual(reply);
  });

  it.each([
    ['ends without [DONE] or a finish reason', token('Hi'), 'ended before the reply did'],
    ['is empty', '', 'ended before the reply did'],
    ['holds an event that is not JSON', `${token('Hi')}data: {"choices"\n\n`, 'an event that is not JSON'],
    ['holds values that are not objects', 'data: 1\n\n', 'something other than an object'],
    ['holds no choice', sse({}) + DONE, 'without any choice'],
    ['holds content that is not text', sse({ choices: [{ delta: { content: 1 } }] }), 'not text'],
  ])('that %s is an invalid response', async (_name, text, words) => {
    const { client } = await streaming(text);
    const error = await failure(client.complete(REQUEST, options({ deadlineMs: Date.now() + 20_000 })));
    expect(error).toMatchObject({ reason: 'invalid_response', httpStatus: 200 });
    expect(error.message).toContain(words);
  });

  it.each([
    [{ message: 'Overloaded', code: 503 }, 'unavailable'],
    [{ message: 'Slow down', code: 429 }, 'rate_limited'],
    [{ message: 'Crashed' }, 'server_error'],
    ['Crashed', 'server_error'],
  ])('that reports %j fails as the error says', async (error, reason) => {
    const { standIn, client } = await streaming(token('Hi') + sse({ error }));
    standIn.next();
    const thrown = await failure(client.complete(REQUEST, options()));
    expect(thrown.reason).toBe(reason);
    expect(thrown.message).toMatch(/reported an error in its answer: "(Overloaded|Slow down|Crashed)"$/);
  });

  it('that breaks off is retried once', async () => {
    const { standIn, client } = await llmOf();
    standIn.next({ kind: 'truncate' });
    expect(await client.complete(REQUEST, options())).toEqual({ text: 'Reply to: Hello', finish: 'stop' });
    expect(standIn.requests).toHaveLength(2);
  });

  it.each(['hang', 'stall'] as const)('with a server that is told to %s ends as a time-out', async (kind) => {
    const { standIn, client } = await llmOf({}, {}, 60);
    standIn.always({ kind });
    const error = await failure(client.complete(REQUEST, options()));
    expect(error.reason).toBe('timeout');
    expect(error.message).toMatch(kind === 'hang' ? /did not answer within 0.06 s$/ : /sent nothing more for 0.06 s$/);
    await standIn.left(1);
  });

  it('is passed on as it arrives, and is then the whole reply', async () => {
    const { standIn, client } = await llmOf();
    let goOn = () => {};
    standIn.always({ kind: 'pause', until: new Promise<void>((resolve) => (goOn = resolve)) });
    const pieces: string[] = [];
    const onText = (text: string) => {
      pieces.push(text);
      // The model goes on only when its first words are here.
      goOn();
    };
    const reply = await client.complete(REQUEST, { ...options(), onText });
    expect(reply).toEqual({ text: 'Reply to: Hello', finish: 'stop' });
    expect(pieces).toEqual(['Reply', ' to:', ' Hello']);
  });

  it('that breaks off after its first words is not retried', async () => {
    const { standIn, client } = await llmOf();
    standIn.next({ kind: 'truncate' });
    const pieces: string[] = [];
    const onText = (text: string) => void pieces.push(text);
    expect(await failure(client.complete(REQUEST, { ...options(), onText }))).toMatchObject({ retryable: true });
    expect([standIn.requests.length, pieces.length > 0]).toEqual([1, true]);
    standIn.next({ kind: 'truncate' });
    expect(await client.complete(REQUEST, options())).toMatchObject({ text: 'Reply to: Hello' });
    standIn.next({ kind: 'drop' });
    expect(await client.complete(REQUEST, { ...options(), onText })).toMatchObject({ text: 'Reply to: Hello' });
  });

  it('of comments alone times out', async () => {
    // Ten of these make the deadline; one is more than a busy machine leaves between two writes.
    const { standIn, client } = await llmOf({}, {}, 300);
    standIn.always({ kind: 'trickle' });
    const error = await failure(client.complete(REQUEST, options()));
    expect(error).toMatchObject({ reason: 'timeout' });
    expect(error.message).toContain('before the deadline');
    await standIn.left(1);
  });

  it('ends at the deadline of its caller', async () => {
    const { standIn, client } = await llmOf();
    standIn.always({ kind: 'stall' });
    const error = await failure(client.complete(REQUEST, options({ deadlineMs: Date.now() + 60 })));
    expect(error).toMatchObject({ reason: 'timeout' });
    expect(error.message).toContain('before the deadline');
  });

  it('that exceeds the largest reply is refused', async () => {
    const { client } = await streaming(token('x'.repeat(600_000)).repeat(2) + DONE);
    expect((await failure(client.complete(REQUEST, options()))).message).toContain('more than 1048576 characters');
  });
});

describe('SseParser', () => {
  it('gives the same events for any split of the bytes', () => {
    const text = `: ping\r\n\r\ndata: {"a":"käse 🎉\u2028"}\r\n\r\nevent: x\ndata:1\ndata:  2\n\ndata\n\nid: 7\n\n${DONE}data: last`;
    const bytes = Buffer.from(text);
    const expected = ['{"a":"käse 🎉\u2028"}', '1\n 2', '', '[DONE]', 'last'];
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const parser = new SseParser();
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const events = at.slice(1).flatMap((end, i) => parser.push(bytes.subarray(at[i], end)));
        expect([...events, ...parser.end()]).toEqual(expected);
      }),
    );
  });

  it.each([
    ['line', 'x'.repeat(65_536)],
    ['event', `data: ${'x'.repeat(65_536)}\n`],
  ])('bounds an endless %s', (_what, part) => {
    const parser = new SseParser();
    const push = () => {
      for (let i = 0; i < 20; i++) parser.push(Buffer.from(part));
    };
    expect(push).toThrow('an event without an end');
  });
});
