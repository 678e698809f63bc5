import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createLogger, type LoggerOptions, lateChild } from '../../../src/server/log.ts';

function record(options: Partial<LoggerOptions> & { terminal?: boolean } = {}) {
  const written: string[] = [];
  const { terminal, ...rest } = options;
  const stream = {
    write: (line: string) => written.push(line),
    ...(terminal === undefined ? {} : { isTTY: terminal }),
  };
  const logger = createLogger({ level: 'info', format: 'auto', stream, color: false, ...rest });
  return { logger, written, records: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the format', () => {
  it('auto is JSON lines outside a terminal', () => {
    const { logger, written, records } = record();
    logger.info({ port: 8080 }, 'Listening');
    expect(written[0]).toMatch(/\n$/);
    expect(records()).toEqual([{ time: expect.any(String), level: 'info', msg: 'Listening', port: 8080 }]);
    expect(new Date(String(records()[0]?.time)).toISOString()).toBe(records()[0]?.time);
  });

  it('auto is text on a terminal', () => {
    const { logger, written } = record({ terminal: true });
    logger.warn({ port: 8080, name: 'a b', list: [1, 2] }, 'Slow start');
    expect(written).toEqual([expect.stringMatching(/^\S+Z WARN {2}Slow start port=8080 name="a b" list=\[1,2\]\n$/)]);
  });

  it('can be forced either way', () => {
    const json = record({ terminal: true, format: 'json' });
    json.logger.info('x');
    expect(json.records()).toHaveLength(1);
    const text = record({ format: 'text' });
    text.logger.info('x');
    expect(text.written[0]).toMatch(/ INFO {2}x\n$/);
  });

  it('follows isTTY rather than the stream when both are given', () => {
    const { logger, written } = record({ terminal: true, isTTY: false });
    logger.info('x');
    expect(written[0]).toMatch(/^\{/);
  });

  it('colors only a terminal without NO_COLOR', () => {
    const before = { NO_COLOR: process.env.NO_COLOR, TERM: process.env.TERM };
    const escapes = (options: Partial<LoggerOptions> & { terminal?: boolean }) => {
      const written: string[] = [];
      const stream = { write: (line: string) => written.push(line), isTTY: options.terminal === true };
      createLogger({ level: 'info', format: 'text', stream, ...options }).info('x');
      return written.join('').includes('\u001b');
    };
    try {
      delete process.env.NO_COLOR;
      process.env.TERM = 'xterm';
      expect([escapes({ terminal: true }), escapes({ terminal: false })]).toEqual([true, false]);
      process.env.TERM = 'dumb';
      expect(escapes({ terminal: true })).toBe(false);
      process.env.TERM = 'xterm';
      process.env.NO_COLOR = '1';
      expect(escapes({ terminal: true })).toBe(false);
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});

describe('levels', () => {
  it('filter less severe records', () => {
    const { logger, records } = record({ level: 'warn' });
    logger.info('no');
    logger.warn('yes');
    logger.fatal('yes');
    expect(records().map(({ level }) => level)).toEqual(['warn', 'fatal']);
  });
});

describe('text lines', () => {
  it('are one line each without control characters', () => {
    const { logger, written } = record({ format: 'text' });
    logger.info({ path: 'a\nb\u001b[2J', bidi: '\u202eevil' }, 'two\nlines \u001b[31m');
    expect(written.join('').slice(0, -1)).not.toMatch(/\p{C}/u);
    expect(written.join('').split('\n')).toHaveLength(2);
  });

  it('show an error by its message, and its stack when debugging', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    const brief = record({ format: 'text' });
    brief.logger.error({ err: error }, 'Failed');
    expect(brief.written[0]).toMatch(/ERROR Failed err="Error: outer" cause="TypeError: inner"\n$/);
    const full = record({ format: 'text', level: 'debug' });
    full.logger.error({ err: error }, 'Failed');
    expect(full.written[0]).toContain('log.test.ts');
    expect(full.written.join('').split('\n')).toHaveLength(2);
  });
});

describe('errors', () => {
  it('are written with type, message, own members, stack and cause', () => {
    const { logger, records } = record();
    const cause = Object.assign(new Error('duplicate key'), { code: '23505' });
    logger.error(new TypeError('no space', { cause }));
    expect(records()).toMatchObject([
      {
        msg: 'no space',
        err: {
          type: 'TypeError',
          message: 'no space',
          stack: expect.stringContaining('log.test.ts'),
          cause: { type: 'Error', message: 'duplicate key', code: '23505' },
        },
      },
    ]);
  });

  it('may be circular', () => {
    const { logger, records } = record();
    const loop: Record<string, unknown> = { name: 'loop' };
    loop.self = loop;
    const error: Error & { cause?: unknown } = new Error('round');
    error.cause = error;
    logger.warn({ loop, err: error }, 'round');
    expect(records()).toMatchObject([{ loop: { name: 'loop', self: '[…]' }, err: { cause: '[…]' } }]);
  });

  it('of an AggregateError are all written', () => {
    const { logger, records } = record();
    logger.error(new AggregateError([new Error('refused over IPv6'), new Error('refused over IPv4')]));
    const errors = [{ message: 'refused over IPv6' }, { message: 'refused over IPv4' }];
    expect(records()).toMatchObject([{ err: { type: 'AggregateError', errors } }]);
  });

  it('in class instances are named, not traversed', () => {
    const { logger, records } = record();
    logger.info({ stream: new PassThrough(), url: new URL('http://ada:hush@h/'), pool: new (class Pool {})() }, 'x');
    const shown = { stream: '[PassThrough]', url: 'http://ada:********@h/', pool: '[Pool]' };
    expect(records()).toMatchObject([shown]);
  });

  it('with values outside JSON are written', () => {
    const { logger, records } = record();
    logger.info({ big: 2n ** 60n, bytes: new Uint8Array(3), at: new Date(0), gone: undefined }, 'x');
    expect(records()).toMatchObject([
      { big: '1152921504606846976', bytes: '[3 bytes]', at: '1970-01-01T00:00:00.000Z' },
    ]);
  });
});

describe('a child that is made late', () => {
  it('is not made before it logs, and then once', () => {
    const { logger, records } = record();
    const child = vi.spyOn(logger, 'child');
    const late = lateChild(logger, { requestId: 'r' });
    expect(child).not.toHaveBeenCalled();
    late.info('one');
    late.info({ code: 7 }, 'two');
    expect(child).toHaveBeenCalledOnce();
    expect(records()).toMatchObject([
      { requestId: 'r', msg: 'one' },
      { requestId: 'r', msg: 'two', code: 7 },
    ]);
  });

  it('shares neither its level nor its bindings with its parent and its children', () => {
    const { logger, records } = record();
    const late = lateChild(logger, { requestId: 'r' });
    const below = late.child({ module: 'm' });
    below.level = 'error';
    for (const each of [below, late, logger]) each.info('one');
    late.level = 'debug';
    for (const each of [below, late, logger]) each.debug('two');
    below.error('three');
    const time = expect.any(String);
    expect(records()).toEqual([
      { time, level: 'info', requestId: 'r', msg: 'one' },
      { time, level: 'info', msg: 'one' },
      { time, level: 'debug', requestId: 'r', msg: 'two' },
      { time, level: 'error', requestId: 'r', module: 'm', msg: 'three' },
    ]);
  });
});

describe('secrets', () => {
  const KEY = 'svc_hush0123456789abcdef';

  it.each([
    'apiKey',
    'rootApiKey',
    'x-api-key',
    'authorization',
    'Cookie',
    'password',
    'dbPassword',
    'inlineSecret',
    'secretsKey',
    'metricsScrapeSecret',
    'credentials',
    'initToken',
    'accessToken',
    'privateKey',
    'X-Service-Metrics-Key',
  ])('do not appear as %s, at any depth and in child loggers', (name) => {
    const { logger, written } = record();
    logger.info({ [name]: 'hush', deep: { list: [{ [name]: { value: 'hush' } }] } }, 'x');
    logger.child({ [name]: 'hush' }).info('x');
    logger.error(Object.assign(new Error('x'), { [name]: 'hush' }));
    expect(written).toHaveLength(3);
    expect(written.join('')).not.toContain('hush');
  });

  it('leave ids and counts alone', () => {
    const { logger, records } = record();
    logger.info({ apiKeyId: '1', credentialKind: 'GCP_ADC', tokenCount: 3, hasPassword: true }, 'x');
    expect(records()).toMatchObject([{ apiKeyId: '1', credentialKind: 'GCP_ADC', tokenCount: 3, hasPassword: true }]);
  });

  it.each([
    `key ${KEY} was refused`,
    'Authorization: Bearer hush.hush-hush',
    'postgresql://ada:hush@db/memories',
    'jdbc:postgresql://db/memories?user=ada&password=hush',
    '-----BEGIN PRIVATE KEY-----\nhushhush\n-----END PRIVATE KEY-----',
  ])('do not appear inside text: %s', (text) => {
    const { logger, written } = record();
    logger.info(text);
    logger.info('said: %s', text);
    logger.info('said: %o', { text });
    logger.info({ nested: { text } }, 'x');
    logger.error(new Error(text));
    logger.error({ err: new Error('outer', { cause: new Error(text) }) });
    logger.error({ err: new Error(text) });
    expect(written).toHaveLength(7);
    expect(written.join('')).not.toContain('hush');
  });

  it('are cut at a largest length per value', () => {
    const { logger, written } = record();
    logger.info({ text: 'x'.repeat(1_000_000), list: Array.from({ length: 100_000 }, () => 1) }, 'x');
    expect(written.join('').length).toBeLessThan(10_000);
  });
});
