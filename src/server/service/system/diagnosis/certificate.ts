import { relativeTime } from '../../../../shared/time.ts';
import { type Finding, fail, fine, warn } from './finding.ts';

/** The certificate that this server shows. */
export interface CertificateFacts {
  /** Made by the server. */
  selfSigned: boolean;
  expiresAt: Date;
}

/** What is left of a certificate when it should be replaced. A start replaces one of the server's own by then. */
export const CERTIFICATE_ENDS_SOON_MS = 30 * 86_400_000;

/** Undefined: no endpoint speaks TLS. `now` is in epoch milliseconds. */
export function judgeCertificate(certificate: CertificateFacts | undefined, now: number): Finding {
  if (certificate === undefined) return fine('TLS is off');
  const { selfSigned, expiresAt } = certificate;
  const leftMs = expiresAt.getTime() - now;
  const name = selfSigned ? 'The self-signed certificate' : 'The certificate';
  const remedy = selfSigned
    ? 'Restart the server: it then makes a new certificate'
    : 'Replace the files of --tls-cert-file and --tls-key-file, then restart';
  const when = relativeTime(expiresAt, now);
  if (leftMs <= 0) return fail(`${name} expired ${when}`, remedy);
  if (leftMs <= CERTIFICATE_ENDS_SOON_MS) return warn(`${name} expires ${when}`, remedy);
  return fine(`${name} expires ${when}`);
}
