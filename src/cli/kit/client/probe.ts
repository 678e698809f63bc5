import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { abortable } from '../../../shared/async/abort.ts';
import { startTimer } from '../../../shared/async/timer.ts';
import type { Address } from '../config/address.ts';
import { Unreachable } from '../errors.ts';

const PROBE_TIMEOUT_MS = 10_000;
const CLOSED_AGAIN = 'it accepted the connection and closed it again';

/** What a handshake with a server shows. Reasons are words for people, without a full stop. */
export type Handshake =
  | { kind: 'verified'; certificateSha256: string }
  | { kind: 'unverified'; certificateSha256: string; reason: string }
  /** It answered, but not with TLS that this side can complete. */
  | { kind: 'failed'; reason: string };

/**
 * One TLS handshake and nothing more: no key or other data is sent. One probe tells verified and unverified TLS apart,
 * because verification changes nothing in what is sent.
 *
 * @throws ServiceError UNAVAILABLE when there is no connection at all (refused, no such name, time-out).
 */
export function probeTls(address: Address, signal: AbortSignal): Promise<Handshake> {
  const { host, port, authority } = address;
  return abortable<Handshake>(signal, (resolve, reject) => {
    let isConnected = false;
    const socket = connect({
      host,
      port,
      // A server name must not be an IP address; verification then falls back to the host.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['h2'],
      rejectUnauthorized: false,
    });
    const late = (): void =>
      reject(silent(authority, isConnected ? 'the TLS handshake did not end' : 'it did not answer'));
    const timer = startTimer(PROBE_TIMEOUT_MS, late);
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once('secureConnect', () => resolve(handshakeOf(socket)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isConnected && isAboutTls(error)) resolve({ kind: 'failed', reason: handshakeReason(error) });
      else reject(connectError(authority, error));
    });
    return () => {
      timer.clear();
      socket.destroy();
    };
  });
}

/** How a server answers the first bytes of a plaintext HTTP/2 connection. `reason` is words for people, without a full stop. */
type Greeting = { kind: 'http2' } | { kind: 'other'; reason: string };

/**
 * One plaintext connection as far as the settings that HTTP/2 begins with: no key or other data is sent.
 *
 * @throws ServiceError UNAVAILABLE when there is no connection at all (refused, no such name, time-out), or no answer on it.
 */
export function probeHttp2({ host, port, authority }: Address, signal: AbortSignal): Promise<Greeting> {
  return abortable<Greeting>(signal, (resolve, reject) => {
    let session: ClientHttp2Session | undefined;
    const socket = connectTcp({ host, port });
    const timer = startTimer(PROBE_TIMEOUT_MS, () => reject(silent(authority, 'it did not answer')));
    const other = (reason: string): void => resolve({ kind: 'other', reason });
    const fail = (error: NodeJS.ErrnoException): void => {
      if (session === undefined) reject(connectError(authority, error));
      else if (error.code === 'ERR_HTTP2_ERROR') other('it answers with something else than HTTP/2');
      else other(CLOSED_AGAIN);
    };
    socket.on('error', fail);
    socket.once('connect', () => {
      session = connectHttp2(`http://${authority}`, { createConnection: () => socket });
      session.once('remoteSettings', () => resolve({ kind: 'http2' }));
      session.on('error', fail);
      session.once('close', () => other(CLOSED_AGAIN));
    });
    return () => {
      timer.clear();
      session?.destroy();
      socket.destroy();
    };
  });
}

function handshakeOf(socket: TLSSocket): Handshake {
  const certificateSha256 = certificateSha256Of(socket);
  // Only cipher suites without certificates come without one, and Node offers none of them.
  if (certificateSha256 === undefined) return { kind: 'failed', reason: 'it shows no certificate' };
  if (socket.authorized) return { kind: 'verified', certificateSha256 };
  return { kind: 'unverified', certificateSha256, reason: certificateReason(socket.authorizationError) };
}

/** SHA-256 of the peer certificate, in the form of `openssl x509 -fingerprint`; of a finished handshake. */
export function certificateSha256Of(socket: TLSSocket): string | undefined {
  return socket.getPeerX509Certificate()?.fingerprint256;
}

/** A network that fails in the middle of a handshake says nothing about what the server speaks. */
function isAboutTls({ code }: NodeJS.ErrnoException): boolean {
  return code === undefined || /^(ERR_|ECONNRESET$|EPIPE$|EPROTO$)/.test(code);
}

const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate was issued by an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate was issued by an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate was issued by an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate was issued by an authority that this machine does not know',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
};

/** Node types the error as an Error and sets its code, a string. */
function certificateReason(error: unknown): string {
  const code = error instanceof Error ? error.message : String(error);
  return CERTIFICATE_REASONS[code] ?? `its certificate cannot be verified (${code})`;
}

function handshakeReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return 'it does not speak TLS';
  if (code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
    return 'it speaks TLS but not gRPC, perhaps it is the REST port';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'it closed the connection during the TLS handshake';
  return `the TLS handshake failed (${code ?? message})`;
}

function connectError(authority: string, cause: NodeJS.ErrnoException): Unreachable {
  const why = cause.code === 'ENOTFOUND' || cause.code === 'EAI_AGAIN' ? 'no host' : 'no answer';
  return new Unreachable(authority, connectReason(cause), { why, cause });
}

function connectReason(error: NodeJS.ErrnoException): string {
  const { code } = error;
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  if (code === 'ETIMEDOUT') return 'it did not answer in time';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no network route to it';
  return error.message || String(code);
}

function silent(authority: string, what: string): Unreachable {
  return new Unreachable(authority, `${what} within ${PROBE_TIMEOUT_MS / 1000} s`, { why: 'no answer' });
}
