import { describe, expect, test } from 'vitest';
import { decideIo } from '../../../../../src/cli/kit/output/io.ts';

describe('output mode', () => {
  const decide = (
    {
      terminal = true,
      columns = 100,
      env = {},
    }: { terminal?: boolean; columns?: number; env?: Record<string, string> },
    wishes = {},
  ) => {
    const sink = { write: async () => {} };
    const host = {
      env,
      cwd: '/',
      stdin: process.stdin,
      stdout: sink,
      stderr: sink,
      streams: { stdout: process.stdout, stderr: process.stderr },
      stdinIsTerminal: terminal,
      stdoutIsTerminal: terminal,
      stderrIsTerminal: terminal,
      columns,
      terminal: terminal ? { ...process, env: {} } : undefined,
      now: Date.now,
      version: () => '0.0.0',
      interrupt: () => {},
      onQuitKey: () => () => {},
      onContinue: () => () => {},
      openPager: undefined,
    };
    const { records, events, color, redraws } = decideIo(
      host,
      { output: 'auto', plain: false, noColor: false, ...wishes },
      new AbortController().signal,
    );
    return { records, events, color, redraws };
  };
  test('terminal', () => {
    expect(decide({})).toEqual({ records: 'table', events: 'tui', color: true, redraws: true });
  });
  test('narrow, dumb, plain and screen readers', () => {
    expect(decide({ columns: 59 }).records).toBe('blocks');
    expect(decide({ columns: 60 }).records).toBe('table');
    expect(decide({ env: { TERM: 'dumb' } })).toEqual({
      records: 'blocks',
      events: 'lines',
      color: false,
      redraws: false,
    });
    expect(decide({}, { plain: true })).toEqual({ records: 'blocks', events: 'lines', color: true, redraws: false });
    expect(decide({ env: { SVC_PLAIN: '1' } }).records).toBe('blocks');
    expect(decide({ env: { INK_SCREEN_READER: 'true' } }).records).toBe('blocks');
  });
  test('pipe', () => {
    expect(decide({ terminal: false })).toEqual({ records: 'columns', events: 'ndjson', color: false, redraws: false });
    expect(decide({ terminal: false }, { output: 'table' })).toMatchObject({ records: 'columns', events: 'lines' });
    expect(decide({ terminal: false }, { output: 'tui' })).toMatchObject({
      records: 'table',
      events: 'lines',
      color: true,
    });
  });
  test('color: --no-color, then NO_COLOR, then FORCE_COLOR, then CLICOLOR_FORCE, then what the output is', () => {
    const color = (env: Record<string, string>, terminal = false) => decide({ terminal, env }).color;
    expect(color({ FORCE_COLOR: '1' })).toBe(true);
    expect(color({ FORCE_COLOR: 'true', TERM: 'dumb' })).toBe(true);
    expect(color({ FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, true)).toBe(false);
    expect(color({ CLICOLOR_FORCE: '1' })).toBe(true);
    expect(color({ CLICOLOR_FORCE: '0' })).toBe(false);
    expect(color({ CLICOLOR_FORCE: '0' }, true)).toBe(true);
    expect(color({ FORCE_COLOR: '' })).toBe(false);
    expect(color({ NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, true)).toBe(false);
    expect(decide({ env: { FORCE_COLOR: '1' } }, { noColor: true }).color).toBe(false);
    expect(decide({ terminal: false }, { output: 'tui', noColor: true }).color).toBe(false);
  });
  test('JSON on every output', () => {
    expect(decide({}, { output: 'json' })).toMatchObject({ records: 'json', events: 'json', redraws: false });
    expect(decide({ terminal: false }, { output: 'ndjson' })).toMatchObject({ records: 'ndjson', events: 'ndjson' });
  });
  test('NO_COLOR applies when it is not empty; nothing is redrawn under CI', () => {
    expect(decide({ env: { NO_COLOR: '' } }).color).toBe(true);
    expect(decide({ env: { NO_COLOR: '1' } }).color).toBe(false);
    expect(decide({}, { noColor: true }).color).toBe(false);
    expect(decide({ env: { CI: 'true' } }).redraws).toBe(false);
  });
});
