import { httpAddressOrOff, networkProblem } from './network-value.ts';
import { OOXML_DEFAULTS, ooxmlLimits } from './ooxml-limits.ts';
import { setting } from './setting.ts';
import { bool, choice, decimal, headerSecret, integer, list, scalar, type ValueType } from './value-type.ts';

const KEY_BYTES = 32;

/** The AES-256 key of stored credentials, as 32 bytes. The problem never quotes the text. */
const secretsKey: ValueType<Uint8Array> = scalar({
  placeholder: '<base64>',
  // Printed masked only; the value itself never becomes text again.
  print: () => '',
  parse: (text) => {
    const given = text.trim();
    const bytes = Buffer.from(given, 'base64');
    // Buffer skips what is not base64, so a mistyped key would silently become another key.
    const isBase64 = bytes.toString('base64').replace(/=+$/, '') === given.replace(/=+$/, '');
    if (isBase64 && bytes.length === KEY_BYTES) return { value: new Uint8Array(bytes) };
    const found = isBase64 ? `${bytes.length} bytes` : 'text that is not base64';
    return { problem: `must be ${KEY_BYTES} bytes in base64, got ${found}` };
  },
});

/** Public knowledge, so the server warns at start while it is in force. */
const BUILT_IN_METRICS_SECRET = 'svc-metrics-default';

const PARALLELISM = integer('<count>', { min: 1, max: 1024 });

export const OPERATION_SETTINGS = {
  'secrets-key': setting({
    env: 'SERVICE_SECRETS_KEY',
    group: 'Security',
    type: secretsKey,
    default: undefined,
    defaultText: 'none; with --embedded a generated file',
    secret: 'all',
    purpose: 'Key of stored credentials: 32 bytes in base64, the same for all servers on one database',
    remedy: 'make one with: openssl rand -base64 32',
  }),
  'provider-allow-link-local': setting({
    env: 'SERVICE_PROVIDER_ALLOW_LINK_LOCAL',
    group: 'Security',
    type: bool,
    default: false,
    purpose: 'Allow providers at link-local addresses',
  }),
  'provider-allowed-networks': setting({
    env: 'SERVICE_PROVIDER_ALLOWED_NETWORKS',
    group: 'Security',
    type: list('<networks>', { commasInFlag: true, check: networkProblem }),
    default: undefined,
    defaultText: 'none; with --embedded every network',
    purpose: 'Networks in which the embedders, LLMs and rerankers of users may be, besides public addresses',
    remedy: 'give networks in CIDR form, for example 10.20.0.0/16,fd12:3456::/32',
  }),
  'metrics-scrape-secret': setting({
    env: 'SERVICE_METRICS_SECRET',
    group: 'Metrics',
    type: headerSecret('<secret>'),
    default: BUILT_IN_METRICS_SECRET,
    defaultText: 'built-in value',
    property: 'service.metrics.secret',
    secret: 'all',
    purpose: 'Secret that /metrics requires in the header X-Service-Metrics-Key',
  }),
  'metrics-auth-disabled': setting({
    env: 'SERVICE_METRICS_AUTH_DISABLED',
    group: 'Metrics',
    type: bool,
    default: false,
    purpose: 'Serve /metrics without a secret',
  }),
  'provider-timeout-s': setting({
    env: 'SERVICE_PROVIDER_TIMEOUT_S',
    group: 'Processing',
    type: decimal('<seconds>', { min: 0.001, max: 3600 }),
    default: 60,
    purpose: 'Time limit of a call to a provider in seconds; fractions are allowed',
  }),
  'worker-parallelism': setting({
    env: 'SERVICE_WORKER_PARALLELISM',
    group: 'Processing',
    type: PARALLELISM,
    default: ({ cpuCount }) => cpuCount,
    defaultText: 'CPU count',
    purpose: 'Concurrent background jobs',
  }),
  'job-lease-s': setting({
    env: 'SERVICE_JOB_LEASE_S',
    group: 'Processing',
    type: integer('<seconds>', { min: 1, max: 86_400 }),
    default: 60,
    purpose: 'Seconds after which the job of a worker that has died goes to another',
  }),
  'post-processor-module': setting({
    env: 'SERVICE_POST_PROCESSOR_MODULE',
    group: 'Processing',
    type: list('<file-or-package>', { commasInFlag: false }),
    default: [],
    purpose: 'ES module with post processors, loaded at start; repeatable',
  }),
  'ooxml-limits-json': setting({
    env: 'SERVICE_OOXML_LIMITS_JSON',
    group: 'Processing',
    type: ooxmlLimits,
    default: OOXML_DEFAULTS,
    defaultText: 'built-in',
    purpose:
      'Limits on reading documents; of these extraction.outputCharacters counts, the others are reserved until such documents are read',
    remedy: 'give for example {"version":1,"extraction":{"sheets":64}}',
  }),
  'ocr-base-url': setting({
    env: 'SERVICE_OCR_BASE_URL',
    group: 'OCR',
    type: httpAddressOrOff,
    default: 'http://localhost:8088',
    reserved: true,
    purpose: 'Address of the OCR add-on; an empty value switches OCR off',
    remedy: 'give the address of the OCR add-on, or an empty value to switch OCR off',
  }),
  'ocr-render-engine': setting({
    env: 'SERVICE_OCR_RENDER_ENGINE',
    group: 'OCR',
    type: choice(['auto', 'pdfium', 'pdfbox']),
    default: 'auto',
    reserved: true,
    purpose: 'Page renderer; auto tries pdfium and falls back to pdfbox',
  }),
  'page-render-parallelism': setting({
    env: 'SERVICE_PAGE_RENDER_PARALLELISM',
    group: 'OCR',
    type: PARALLELISM,
    default: undefined,
    defaultText: '1 with pdfium, CPU count with pdfbox',
    reserved: true,
    purpose: 'Pages rendered concurrently',
  }),
  'ocr-recognition-parallelism': setting({
    env: 'SERVICE_OCR_RECOGNITION_PARALLELISM',
    group: 'OCR',
    type: PARALLELISM,
    default: ({ cpuCount }) => cpuCount,
    defaultText: 'CPU count',
    reserved: true,
    purpose: 'Concurrent OCR operations',
  }),
  'ocr-buffered-pages': setting({
    env: 'SERVICE_OCR_BUFFERED_PAGES',
    group: 'OCR',
    type: integer('<pages>', { min: 1, max: 100_000 }),
    default: 100,
    reserved: true,
    purpose: 'Most rendered pages that are buffered or being worked on',
  }),
  'log-level': setting({
    env: 'SERVICE_LOG_LEVEL',
    group: 'Logging',
    type: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
    default: 'info',
    purpose: 'Least severe level that is logged',
  }),
  'log-format': setting({
    env: 'SERVICE_LOG_FORMAT',
    group: 'Logging',
    type: choice(['auto', 'text', 'json']),
    default: 'auto',
    purpose: 'Format of the log; auto is text on a terminal, else JSON lines',
  }),
};
