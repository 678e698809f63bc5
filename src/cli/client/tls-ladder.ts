import { CommandError, EXIT } from '../failure.ts';
import type { TlsMode } from '../global-flags.ts';
import type { Address } from './address.ts';
import { type Handshake, probeTls } from './probe.ts';

export type Rung = 'verified' | 'unverified' | 'plaintext';

export interface Choice {
  rung: Rung;
  /** What to tell on stderr; undefined when the connection is as safe as it can be or was asked for. */
  remark: string | undefined;
}

/**
 * Decides how to talk to a server, before anything else is sent to it: the API key never travels on a rung that was not
 * allowed. `auto` goes down from verified TLS over unverified TLS to plaintext, and only because of a failed handshake or
 * certificate, never because nothing answers.
 */
export async function chooseRung(address: Address, mode: TlsMode, signal: AbortSignal): Promise<Choice> {
  if (mode === 'pin') throw pinWithoutProfile();
  if (address.scheme === 'http') return plaintextOnly(address, mode);
  if (mode === 'plaintext') return { rung: 'plaintext', remark: undefined };
  const handshake = await probeTls(address, signal);
  if (handshake.kind === 'verified')
    return { rung: mode === 'insecure' ? 'unverified' : 'verified', remark: undefined };
  if (mode === 'verify') throw refused(address, handshake);
  if (mode === 'insecure') {
    if (handshake.kind === 'failed') throw refused(address, handshake);
    return { rung: 'unverified', remark: undefined };
  }
  return { rung: handshake.kind === 'failed' ? 'plaintext' : 'unverified', remark: remarkOf(address, handshake) };
}

function remarkOf({ authority }: Address, { kind, reason }: Exclude<Handshake, { kind: 'verified' }>): string {
  const consequence =
    kind === 'failed'
      ? 'using plaintext: everything, the API key too, can be read on the way'
      : 'using TLS without verification';
  return `${authority}: ${reason}; ${consequence}. To forbid it: --tls verify`;
}

function refused({ authority }: Address, { kind, reason }: Exclude<Handshake, { kind: 'verified' }>): CommandError {
  return new CommandError(`No safe connection to ${authority}`, {
    code: 'UNAVAILABLE',
    exit: EXIT.unavailable,
    details: reason,
    next: kind === 'failed' ? 'To do without TLS: --tls plaintext' : 'To accept it: --tls insecure',
  });
}

function plaintextOnly({ authority }: Address, mode: TlsMode): Choice {
  if (mode === 'auto' || mode === 'plaintext') return { rung: 'plaintext', remark: undefined };
  throw new CommandError(`http://${authority} means plaintext, --tls ${mode} forbids it`, {
    code: 'INVALID_ARGUMENT',
    exit: EXIT.usage,
    next: `Write https://${authority}, or leave --tls out`,
  });
}

function pinWithoutProfile(): CommandError {
  return new CommandError('--tls pin needs a profile that remembers a certificate', {
    code: 'CONFIGURATION_ERROR',
    exit: EXIT.configuration,
    details: 'there is no profile with a certificate',
    next: 'Use --tls verify or --tls insecure',
  });
}
