import { describe, expect, it } from 'vitest';
import { serveFlags } from '../../../../src/server/settings/flags.ts';
import { printConfig } from '../../../../src/server/settings/print.ts';
import { SETTINGS } from '../../../../src/server/settings/table.ts';
import { loadSettings } from './settings.fixture.ts';

const KEY = Buffer.alloc(32, 9).toString('base64');
const platform = { cpuCount: 2, home: '/home/ada' };

const loaded = loadSettings({
  flags: { restPort: '0', initToken: 'init-hush', ocrBaseUrl: '' },
  properties: ['service.metrics.secret=metrics-hush'],
  env: {
    DB_URL: 'jdbc:postgresql://ada:url-hush@db:5432/memories?sslmode=require',
    DB_PASSWORD: 'password-hush',
    DB_READ_URL: 'postgresql://replica/memories?user=ada&password=query-hush',
    SERVICE_SECRETS_KEY: KEY,
  },
  platform,
});

describe('printConfig', () => {
  const table = printConfig(loaded, 'table');
  const lineOf = (flag: string) => table.split('\n').find((line) => line.startsWith(`${flag} `)) ?? '';

  it('shows every setting once, aligned', () => {
    const lines = table.trimEnd().split('\n');
    expect(lines).toHaveLength(Object.keys(SETTINGS).length + 1);
    const column = lines[0]?.indexOf('VALUE') ?? -1;
    expect(lines.every((line) => line[column - 1] === ' ' && line[column] !== ' ')).toBe(true);
  });

  it('names variable, source and value', () => {
    expect(lineOf('--rest-port').split(/\s+/)).toEqual(['--rest-port', 'SERVICE_REST_PORT', 'flag', '0']);
    expect(lineOf('--grpc-port').split(/\s+/)).toEqual(['--grpc-port', 'SERVICE_GRPC_PORT', 'default', '9090']);
    expect(lineOf('--metrics-scrape-secret')).toMatch(/property +\*{8}$/);
    expect(lineOf('--page-render-parallelism')).toContain('(unset: 1 with pdfium, CPU count with pdfbox)');
    expect(lineOf('--db-user')).toMatch(/\(unset\)$/);
    expect(lineOf('--ocr-base-url')).toMatch(/flag +\(unset\)$/);
  });

  it.each(['table', 'json'] as const)('shows no secret as %s', (format) => {
    const text = printConfig(loaded, format);
    expect(text).not.toContain('hush');
    expect(text).not.toContain(KEY);
    expect(text).toContain('jdbc:postgresql://ada:********@db:5432/memories?sslmode=require');
    expect(text).toContain('postgresql://replica/memories?user=ada&password=********');
  });

  it('masks the built-in metrics secret too', () => {
    const { settings, sources } = loadSettings({ flags: { embedded: true }, env: {}, platform });
    expect(printConfig({ settings, sources }, 'table')).not.toContain('svc-metrics-default');
  });

  it('gives machines one record a setting', () => {
    const records = JSON.parse(printConfig(loaded, 'json')) as unknown[];
    expect(records).toContainEqual({ flag: '--rest-port', variable: 'SERVICE_REST_PORT', source: 'flag', value: '0' });
    expect(records).toContainEqual({ flag: '--db-user', variable: 'DB_USER', source: 'default', value: null });
  });
});

describe('serveFlags', () => {
  it('lists the actions without a variable', () => {
    const actions = serveFlags().filter(({ variable }) => variable === undefined);
    expect(actions.map(({ flag }) => flag)).toEqual(['--check', '--print-config', '-D']);
  });

  it('shows defaults, but never a secret one', () => {
    const texts = Object.fromEntries(serveFlags().map(({ flag, defaultText }) => [flag, defaultText]));
    expect(texts).toMatchObject({
      '--rest-port': '8080',
      '--host': '0.0.0.0; with --embedded 127.0.0.1',
      '--tls-self-signed-hostnames': 'localhost,127.0.0.1,::1',
      '--metrics-scrape-secret': 'built-in value',
      '--worker-parallelism': 'CPU count',
      '--init-token': '',
    });
  });

  it('lists what the documentation lists', () => {
    expect(serveFlags().map(({ flag, variable }) => `${flag} ${variable ?? ''}`.trim())).toMatchSnapshot();
  });
});
