import { describe, expect, it } from 'vitest';
import { OOXML_EXTRACTION_DEFAULTS } from '../../../../src/server/settings/ooxml-limits.ts';
import { load, problemsWith } from './settings.fixture.ts';

describe('values', () => {
  it('take a bare boolean flag as true and only true and false as words', () => {
    expect(load({ flags: { sdkEvents: true } }).settings.sdkEvents).toBe(true);
    expect(load({ flags: { restTlsEnabled: 'false' } }).settings.restTlsEnabled).toBe(false);
    for (const word of ['yes', '1', 'TRUE']) {
      expect(problemsWith({ env: { SERVICE_SDK_EVENTS: word } })[0]?.problem).toContain('must be true or false');
    }
  });

  it.each(['8080.0', '0x50', '8e3', '-1', '65536', '80 80', 'http', 'NaN', 'Infinity'])(
    'refuse the port %s',
    (text) => {
      const problems = problemsWith({ flags: { restPort: text } });
      expect(problems).toEqual([
        {
          flag: '--rest-port',
          variable: 'SERVICE_REST_PORT',
          source: 'flag --rest-port',
          problem: `must be an integer from 0 to 65535, got ${JSON.stringify(text)}`,
          remedy: 'write it as --rest-port <port>',
        },
      ]);
    },
  );

  it('allow fractions for the provider time limit only', () => {
    expect(load({ flags: { providerTimeoutS: '0.25' } }).settings.providerTimeoutS).toBe(0.25);
    expect(problemsWith({ flags: { providerTimeoutS: '0' } })).toHaveLength(1);
    expect(problemsWith({ flags: { jobLeaseS: '0.5' } })).toHaveLength(1);
  });

  it('check words', () => {
    const flags = { logLevel: 'loud', ocrRenderEngine: 'cairo', logFormat: 'xml' };
    expect(
      problemsWith({ flags })
        .map(({ flag }) => flag)
        .sort(),
    ).toEqual(['--log-format', '--log-level', '--ocr-render-engine'].sort());
  });

  it('read the secrets key as 32 bytes and never quote it', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(load({ env: { SERVICE_SECRETS_KEY: key } }).settings.secretsKey).toEqual(new Uint8Array(32).fill(7));
    for (const bad of [Buffer.alloc(31, 7).toString('base64'), `${key.slice(0, 20)}!${key.slice(20)}`, 'changeme']) {
      const problems = problemsWith({ env: { SERVICE_SECRETS_KEY: bad } });
      expect(problems).toMatchObject([{ flag: '--secrets-key', remedy: expect.stringContaining('openssl rand') }]);
      expect(JSON.stringify(problems)).not.toContain(bad);
    }
  });

  it('check networks', () => {
    const networks = '10.20.0.0/16, fd12:3456::/32,192.0.2.1/32,::/0';
    expect(load({ env: { SERVICE_PROVIDER_ALLOWED_NETWORKS: networks } }).settings.providerAllowedNetworks).toEqual([
      '10.20.0.0/16',
      'fd12:3456::/32',
      '192.0.2.1/32',
      '::/0',
    ]);
    expect(load({}).settings.providerAllowedNetworks).toBeUndefined();
    const problemOf = (network: string) => problemsWith({ flags: { providerAllowedNetworks: network } })[0]?.problem;
    for (const word of ['models.lan', '10.20.0.0/16/3', '10.20/16', 'fe80::%eth0/10', '/8']) {
      expect(problemOf(word)).toBe(`${JSON.stringify(word)} is not a network such as 10.20.0.0/16 or fd12:3456::/32`);
    }
    expect(problemOf('10.20.0.0')).toBe('"10.20.0.0" needs a prefix length from 0 to 32');
    expect(problemOf('10.20.0.0/33')).toBe('"10.20.0.0/33" needs a prefix length from 0 to 32');
    expect(problemOf('fd12::/129')).toBe('"fd12::/129" needs a prefix length from 0 to 128');
    for (const slip of ['10.20.1.0/16', 'fd12:3456::1/32', '::ffff:10.0.0.1/96']) {
      expect(problemOf(slip)).toBe(`${JSON.stringify(slip)} is an address in a network and not the network itself`);
    }
  });

  it('check origins', () => {
    const origins = 'https://a.example.com, http://localhost:5173';
    expect(load({ env: { SERVICE_CORS_ORIGINS: origins } }).settings.corsOrigins).toEqual([
      'https://a.example.com',
      'http://localhost:5173',
    ]);
    for (const bad of ['*', 'a.example.com', 'https://a.example.com/', 'ftp://a.example.com', 'https://a,,https://b']) {
      expect(problemsWith({ flags: { corsOrigins: bad } })).toHaveLength(1);
    }
  });

  it('refuse secrets that no header can carry, without quoting them', () => {
    const problems = problemsWith({ flags: { metricsScrapeSecret: 'zwölf Boxkämpfer', initToken: 'a b' } });
    expect(problems.map(({ flag }) => flag).sort()).toEqual(['--init-token', '--metrics-scrape-secret']);
    expect(JSON.stringify(problems)).not.toContain('Boxkämpfer');
  });
});

describe('document limits', () => {
  it('keep the defaults of the keys left out', () => {
    const text = '{"version":1,"extraction":{"sheets":64,"outputCharacters":1000000}}';
    expect(load({ env: { SERVICE_OOXML_LIMITS_JSON: text } }).settings.ooxmlLimitsJson.extraction).toEqual({
      ...OOXML_EXTRACTION_DEFAULTS,
      sheets: 64,
      outputCharacters: 1_000_000,
    });
    expect(OOXML_EXTRACTION_DEFAULTS.sheets).toBe(256);
  });

  it.each([
    ['{"version":1', 'is not JSON'],
    ['[]', 'must be a JSON object'],
    ['{}', 'version: missing, must be 1'],
    ['{"version":2}', 'version: must be 1, got 2'],
    ['{"version":"1"}', 'version: must be 1, got "1"'],
    ['{"version":1,"sheets":3}', 'sheets: unknown key'],
    ['{"version":1,"extraction":null}', 'extraction: must be an object'],
    ['{"version":1,"extraction":{"sheet":3}}', 'extraction.sheet: unknown key'],
    ['{"version":1,"extraction":{"toString":3}}', 'extraction.toString: unknown key'],
    ['{"version":1,"extraction":{"rows":0}}', 'extraction.rows: must be an integer of at least 1, got 0'],
    ['{"version":1,"extraction":{"rows":1.5}}', 'extraction.rows: must be an integer of at least 1, got 1.5'],
    ['{"version":1,"extraction":{"rows":"9"}}', 'extraction.rows: must be an integer of at least 1, got "9"'],
  ])('refuse %s', (text, problem) => {
    expect(problemsWith({ flags: { ooxmlLimitsJson: text } })).toMatchObject([{ problem }]);
  });
});
