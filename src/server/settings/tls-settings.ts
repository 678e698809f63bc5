import { canonicalHost, hostProblem } from './network-value.ts';
import { setting } from './setting.ts';
import { bool, list, text } from './value-type.ts';

const ACME = 'automatic issuance is not available';

export const TLS_SETTINGS = {
  'tls-disabled': setting({
    env: 'SERVICE_TLS_DISABLED',
    group: 'TLS',
    type: bool,
    default: false,
    purpose: 'Plaintext on both endpoints; wins over the other TLS flags',
  }),
  'rest-tls-enabled': setting({
    env: 'SERVICE_REST_TLS_ENABLED',
    group: 'TLS',
    type: bool,
    default: true,
    purpose: 'TLS on the REST port',
  }),
  'grpc-tls-enabled': setting({
    env: 'SERVICE_GRPC_TLS_ENABLED',
    group: 'TLS',
    type: bool,
    default: true,
    purpose: 'TLS on the gRPC port',
  }),
  'fips-mode-enabled': setting({
    env: 'SERVICE_FIPS_MODE_ENABLED',
    group: 'TLS',
    type: bool,
    default: false,
    purpose: 'FIPS cryptography only; self-signed TLS is forbidden',
  }),
  'tls-self-signed-dev': setting({
    env: 'SERVICE_TLS_SELF_SIGNED_DEV',
    group: 'TLS',
    type: bool,
    default: ({ fips }) => !fips,
    defaultText: 'true; false in FIPS mode',
    purpose: 'Generate a certificate at start when none is given',
  }),
  'tls-self-signed-hostnames': setting({
    env: 'SERVICE_TLS_SELF_SIGNED_HOSTNAMES',
    group: 'TLS',
    type: list('<host,…>', { commasInFlag: true, check: hostProblem, canonical: canonicalHost }),
    default: ['localhost', '127.0.0.1', '::1'],
    purpose: 'Names in the generated certificate: bare hosts or IPs',
    remedy: 'give bare host names or IP addresses without scheme and port, separated by commas',
  }),
  'tls-cert-file': setting({
    env: 'SERVICE_TLS_CERT_FILE',
    group: 'TLS',
    type: text('<file>'),
    default: undefined,
    purpose: 'PEM certificate or chain; requires --tls-key-file',
  }),
  'tls-key-file': setting({
    env: 'SERVICE_TLS_KEY_FILE',
    group: 'TLS',
    type: text('<file>'),
    default: undefined,
    purpose: 'PEM key, PKCS#1 or PKCS#8, unencrypted; requires --tls-cert-file',
  }),
  'tls-trust-cert-file': setting({
    env: 'SERVICE_TLS_TRUST_CERT_FILE',
    group: 'TLS',
    type: text('<file>'),
    default: undefined,
    reserved: true,
    purpose: 'Unused',
  }),
  'tls-acme-enabled': setting({
    env: 'SERVICE_TLS_ACME_ENABLED',
    group: 'TLS',
    type: bool,
    default: false,
    reserved: true,
    purpose: `Needs a certificate to be given: ${ACME}`,
  }),
  'tls-acme-directory-url': setting({
    env: 'SERVICE_TLS_ACME_DIRECTORY_URL',
    group: 'TLS',
    type: text('<url>'),
    default: undefined,
    reserved: true,
    purpose: `Unused: ${ACME}`,
  }),
  'tls-acme-email': setting({
    env: 'SERVICE_TLS_ACME_EMAIL',
    group: 'TLS',
    type: text('<address>'),
    default: undefined,
    reserved: true,
    purpose: `Unused: ${ACME}`,
  }),
  'tls-acme-domains': setting({
    env: 'SERVICE_TLS_ACME_DOMAINS',
    group: 'TLS',
    type: list('<domain,…>', { commasInFlag: true, check: (item) => hostProblem(item.replace(/^\*\./, '')) }),
    default: [],
    reserved: true,
    purpose: `Unused: ${ACME}`,
    remedy: 'give bare domain names, separated by commas',
  }),
};
