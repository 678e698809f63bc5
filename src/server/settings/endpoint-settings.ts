import { host, originProblem } from './network-value.ts';
import { setting } from './setting.ts';
import { bool, headerSecret, integer, list, text } from './value-type.ts';

const PORT = integer('<port>', { min: 0, max: 65_535 });

export const ENDPOINT_SETTINGS = {
  host: setting({
    env: 'SERVICE_HOST',
    group: 'Endpoints',
    type: host,
    default: ({ embedded }) => (embedded ? '127.0.0.1' : '0.0.0.0'),
    defaultText: '0.0.0.0; with --embedded 127.0.0.1',
    purpose: 'Address that both ports listen on',
  }),
  'rest-port': setting({
    env: 'SERVICE_REST_PORT',
    group: 'Endpoints',
    type: PORT,
    default: 8080,
    purpose: 'REST port; 0 takes a free one',
  }),
  'grpc-port': setting({
    env: 'SERVICE_GRPC_PORT',
    group: 'Endpoints',
    type: PORT,
    default: 9090,
    purpose: 'gRPC port; 0 takes a free one',
  }),
  'grpc-max-message-size-mb': setting({
    env: 'GRPC_MAX_MESSAGE_SIZE_MB',
    group: 'Endpoints',
    // Protocol Buffers messages end at 2 GiB.
    type: integer('<mb>', { min: 1, max: 2047 }),
    default: 1024,
    purpose: 'Largest gRPC message in MB',
  }),
  'rest-max-body-mb': setting({
    env: 'SERVICE_REST_MAX_BODY_MB',
    group: 'Endpoints',
    type: integer('<mb>', { min: 1, max: 4096 }),
    default: 64,
    purpose: 'Largest REST request body in MB',
  }),
  'request-memory-mb': setting({
    env: 'SERVICE_REQUEST_MEMORY_MB',
    group: 'Endpoints',
    type: integer('<mb>', { min: 64, max: 1_048_576 }),
    default: 2048,
    purpose: 'Memory in MB for the bodies of all requests at one time; one user has half of what others leave',
  }),
  'max-content-mb': setting({
    env: 'SERVICE_MAX_CONTENT_MB',
    group: 'Endpoints',
    type: integer('<mb>', { min: 1, max: 4096 }),
    default: 256,
    purpose: 'Largest content of a memory in MB',
  }),
  'rate-limit-max': setting({
    env: 'SERVICE_RATE_LIMIT_MAX',
    group: 'Endpoints',
    type: integer('<requests>', { min: 0, max: 1_000_000_000 }),
    default: 600,
    purpose: 'Requests per window and API key; 0 switches the limit off',
  }),
  'rate-limit-window-s': setting({
    env: 'SERVICE_RATE_LIMIT_WINDOW_S',
    group: 'Endpoints',
    type: integer('<seconds>', { min: 1, max: 86_400 }),
    default: 60,
    purpose: 'Window of the rate limit in seconds',
  }),
  'cors-origins': setting({
    env: 'SERVICE_CORS_ORIGINS',
    group: 'Endpoints',
    type: list('<origin,…>', { commasInFlag: true, check: originProblem }),
    default: [],
    purpose: 'Web origins that may call the REST API from a browser',
    remedy: 'give origins such as https://app.example.com, separated by commas',
  }),
  'sdk-events': setting({
    env: 'SERVICE_SDK_EVENTS',
    group: 'Endpoints',
    type: bool,
    default: false,
    purpose: 'Write retrieved items of REST streams and error bodies in the form that client libraries expect',
  }),
  'init-token': setting({
    env: 'SERVICE_INIT_TOKEN',
    group: 'Endpoints',
    type: headerSecret('<token>'),
    default: undefined,
    secret: 'all',
    purpose: 'Token that svc init must send to make the root user',
  }),
  'license-dir': setting({
    env: 'SERVICE_LICENSE_DIR',
    group: 'Endpoints',
    type: text('<dir>'),
    default: '/var/lib/service/licenses',
    purpose: 'License directory',
  }),
  'shutdown-grace-s': setting({
    env: 'SERVICE_SHUTDOWN_GRACE_S',
    group: 'Endpoints',
    type: integer('<seconds>', { min: 0, max: 86_400 }),
    default: 30,
    purpose: 'Seconds to wait for running work after SIGTERM, SIGINT or SIGHUP',
  }),
};
