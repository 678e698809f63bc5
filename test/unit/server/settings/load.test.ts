import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OOXML_EXTRACTION_DEFAULTS } from '../../../../src/server/settings/ooxml-limits.ts';
import { SettingsError } from '../../../../src/server/settings/settings-error.ts';
import { SETTINGS, settingRows } from '../../../../src/server/settings/table.ts';
import { DATABASE, load, loadSettings, PLATFORM, problemsOf, problemsWith } from './settings.fixture.ts';

describe('the table', () => {
  it('has a variable of its own for every flag', () => {
    const variables = settingRows().map(({ row }) => row.env);
    expect(new Set(variables).size).toBe(variables.length);
  });

  it('names every setting after its flag', () => {
    expect(settingRows().find(({ flag }) => flag === 'rest-max-body-mb')?.name).toBe('restMaxBodyMb');
    expect(settingRows()).toHaveLength(Object.keys(SETTINGS).length);
  });
});

describe('defaults', () => {
  it('are those of the documentation', () => {
    const { settings } = load();
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      restPort: 8080,
      grpcPort: 9090,
      grpcMaxMessageSizeMb: 1024,
      restMaxBodyMb: 64,
      maxContentMb: 256,
      rateLimitMax: 600,
      rateLimitWindowS: 60,
      dbMinIdle: 2,
      dbMaxPool: 50,
      backgroundDbMinIdle: 0,
      backgroundDbMaxPool: 20,
      licenseDir: '/var/lib/service/licenses',
      metricsScrapeSecret: 'svc-metrics-default',
      metricsAuthDisabled: false,
      ocrBaseUrl: 'http://localhost:8088',
      ocrRenderEngine: 'auto',
      pageRenderParallelism: undefined,
      ocrRecognitionParallelism: 3,
      ocrBufferedPages: 100,
      workerParallelism: 3,
      providerTimeoutS: 60,
      jobLeaseS: 60,
      shutdownGraceS: 30,
      dataDir: '/home/ada/.local/share/svc',
      tlsDisabled: false,
      restTlsEnabled: true,
      grpcTlsEnabled: true,
      tlsSelfSignedDev: true,
      tlsSelfSignedHostnames: ['localhost', '127.0.0.1', '::1'],
      sdkEvents: false,
      corsOrigins: [],
      postProcessorModule: [],
      secretsKey: undefined,
      initToken: undefined,
      logLevel: 'info',
      logFormat: 'auto',
    });
    expect(settings.ooxmlLimitsJson).toEqual({ version: 1, extraction: OOXML_EXTRACTION_DEFAULTS });
  });

  it('keep an embedded server on the loopback address', () => {
    const embedded = loadSettings({ flags: { embedded: true }, env: {}, platform: PLATFORM });
    expect(embedded.settings.host).toBe('127.0.0.1');
    const opened = loadSettings({ flags: { embedded: true, host: '0.0.0.0' }, env: {}, platform: PLATFORM });
    expect(opened.settings.host).toBe('0.0.0.0');
  });

  it('put the data directory below XDG_DATA_HOME, when that is absolute', () => {
    expect(load({ env: { XDG_DATA_HOME: '/data' } }).settings.dataDir).toBe('/data/svc');
    expect(load({ env: { XDG_DATA_HOME: 'data' } }).settings.dataDir).toBe('/home/ada/.local/share/svc');
  });

  it('ignore a relative home, and use that of the system', () => {
    for (const HOME of [undefined, '', 'home']) {
      const { settings } = loadSettings({ flags: { embedded: true }, env: { HOME } });
      expect(settings.dataDir).toBe(join(userInfo().homedir, '.local/share/svc'));
    }
  });
});

describe('sources', () => {
  it('rank flag, variable, default', () => {
    const { settings, sources } = load({
      flags: { restPort: '1' },
      env: { SERVICE_REST_PORT: '2', SERVICE_GRPC_PORT: '3' },
    });
    expect([settings.restPort, settings.grpcPort, settings.dbMinIdle]).toEqual([1, 3, 2]);
    expect(sources.restPort).toEqual({ kind: 'flag', text: 'flag --rest-port' });
    expect(sources.grpcPort).toEqual({ kind: 'environment', text: 'environment variable SERVICE_GRPC_PORT' });
    expect(sources.dbMinIdle.kind).toBe('default');
  });

  it('rank the system property below the variable and above the default', () => {
    const properties = ['service.metrics.secret=from-property'];
    expect(load({ properties }).settings.metricsScrapeSecret).toBe('from-property');
    expect(load({ properties }).sources.metricsScrapeSecret.kind).toBe('property');
    const env = { SERVICE_METRICS_SECRET: 'from-variable' };
    expect(load({ properties, env }).settings.metricsScrapeSecret).toBe('from-variable');
    const flags = { metricsScrapeSecret: 'from-flag' };
    expect(load({ properties, env, flags }).settings.metricsScrapeSecret).toBe('from-flag');
  });

  it('refuse a system property that does not exist', () => {
    const [problem] = problemsWith({ properties: ['service.metric.secret=hush'] });
    expect(problem?.flag).toBe('-Dservice.metric.secret');
    expect(JSON.stringify(problem)).not.toContain('hush');
  });

  it('take a blank variable as unset and refuse a blank flag', () => {
    expect(load({ env: { SERVICE_REST_PORT: ' ', SERVICE_OOXML_LIMITS_JSON: '' } }).settings.restPort).toBe(8080);
    for (const flag of ['restPort', 'ooxmlLimitsJson', 'metricsScrapeSecret', 'corsOrigins'] as const) {
      expect(problemsWith({ flags: { [flag]: '' } })).toMatchObject([{ problem: 'has an empty value' }]);
    }
  });

  it('turn OCR off with an empty value of either', () => {
    expect(load({ flags: { ocrBaseUrl: '' } }).settings.ocrBaseUrl).toBeUndefined();
    expect(load({ env: { SERVICE_OCR_BASE_URL: '' } }).settings.ocrBaseUrl).toBeUndefined();
  });

  it('let the last of a repeated flag win, and collect repeatable ones', () => {
    const flags = { restPort: ['1', '2'], postProcessorModule: ['./a,b.js', 'pkg'] };
    expect(load({ flags }).settings).toMatchObject({ restPort: 2, postProcessorModule: ['./a,b.js', 'pkg'] });
    expect(load({ flags: { postProcessorModule: [] } }).sources.postProcessorModule.kind).toBe('default');
    const env = { SERVICE_POST_PROCESSOR_MODULE: './a.js, pkg' };
    expect(load({ env }).settings.postProcessorModule).toEqual(['./a.js', 'pkg']);
  });
});

describe('all problems', () => {
  it('are reported at once, each with flag, variable and source', () => {
    const error = new SettingsError(
      problemsOf({ flags: { restPort: 'x' }, env: { DB_MAX_POOL_SIZE: '0', DB_URL: 'mysql://h/d' } }),
    );
    expect(error.problems.map(({ flag, variable, source }) => [flag, variable, source])).toEqual([
      ['--db-url', 'DB_URL', 'environment variable DB_URL'],
      ['--db-max-pool', 'DB_MAX_POOL_SIZE', 'environment variable DB_MAX_POOL_SIZE'],
      ['--rest-port', 'SERVICE_REST_PORT', 'flag --rest-port'],
    ]);
    expect(error.message.split('\n')).toHaveLength(4);
    expect(error.message).toContain('--rest-port / SERVICE_REST_PORT (flag --rest-port): must be an integer');
  });

  it('leave out rules on settings that did not parse', () => {
    const problems = problemsWith({ flags: { restPort: 'x', grpcPort: '8080', dbMaxPool: 'y', dbMinIdle: '900' } });
    expect(problems.map(({ flag }) => flag)).toEqual(['--db-max-pool', '--rest-port']);
  });
});

describe('the database', () => {
  const required = (env: Record<string, string>) => problemsOf({ env }).map(({ flag, source }) => [flag, source]);

  it('is required without --embedded', () => {
    expect(required({})).toEqual([
      ['--db-url', 'not set'],
      ['--db-user', 'not set'],
      ['--db-password', 'not set'],
    ]);
    expect(required({ DB_URL: 'postgresql://h/d' })).toEqual([
      ['--db-user', 'not set'],
      ['--db-password', 'not set'],
    ]);
    expect(required({ DB_URL: 'postgresql://ada@h/d' })).toEqual([['--db-password', 'not set']]);
  });

  it.each([
    'postgresql://ada:s%40crets@h:5432/d',
    'postgres://ada:secret@h/d',
    'jdbc:postgresql://h:5432/d?user=ada&password=secret&sslmode=require',
    'postgresql://ada:secret@/d?host=/run/postgresql',
  ])('may carry user and password in %s', (url) => {
    expect(loadSettings({ env: { DB_URL: url }, platform: PLATFORM }).settings.dbUrl).toBe(url);
  });

  it.each([
    'mysql://ada:hush@h/d',
    'h:5432/d',
    'postgresql://ada:hush@h:port/d',
    'postgresql://ada:hush%@h/d',
    'postgresql://ada:hush@h/d?sslmode=maybe',
  ])('is refused as %s, unquoted', (url) => {
    const problems = problemsOf({ env: { DB_URL: url } });
    expect(problems).toMatchObject([{ flag: '--db-url' }]);
    expect(JSON.stringify(problems)).not.toContain('hush');
  });

  it.each(['dbUrl', 'dbUser', 'dbPassword', 'dbReadUrl'] as const)('does not go with --embedded: %s', (name) => {
    const problems = problemsOf({ flags: { embedded: true, [name]: 'postgresql://h/d' } });
    expect(problems).toMatchObject([
      { problem: 'cannot be given together with --embedded', source: expect.stringMatching('^flag') },
    ]);
    expect(problemsOf({ flags: { embedded: true }, env: DATABASE })).toHaveLength(3);
  });

  it('keeps no more connections idle than the pool holds', () => {
    expect(problemsWith({ flags: { dbMinIdle: '51' } })).toMatchObject([{ flag: '--db-min-idle' }]);
    expect(problemsWith({ env: { BACKGROUND_DB_MIN_IDLE: '21' } })).toMatchObject([
      { flag: '--background-db-min-idle' },
    ]);
    expect(load({ flags: { dbMinIdle: '5', dbMaxPool: '5' } }).settings.dbMinIdle).toBe(5);
  });
});

describe('ports', () => {
  it('differ, unless free ones are asked for', () => {
    expect(problemsWith({ flags: { restPort: '9090' } })).toMatchObject([{ flag: '--grpc-port', source: 'default' }]);
    expect(load({ flags: { restPort: '0', grpcPort: '0' } }).settings.grpcPort).toBe(0);
  });
});

describe('warnings', () => {
  it('name the built-in metrics secret, reserved options and unknown variables', () => {
    const { warnings } = load({ env: { SERVICE_REST_PROT: '1', SERVICE_TLS_TRUST_CERT_FILE: '/ca.pem' } });
    expect(warnings).toEqual([
      expect.stringContaining('built-in secret'),
      expect.stringContaining('--tls-trust-cert-file'),
      expect.stringContaining('SERVICE_REST_PROT'),
    ]);
    expect(load({ env: { SERVICE_METRICS_SECRET: 'own' } }).warnings).toEqual([]);
  });
});
