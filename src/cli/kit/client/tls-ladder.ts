import { EXIT } from '../../../shared/exit-codes.ts';
import type { Address } from '../config/address.ts';
import { CommandError, ConfigurationError } from '../errors.ts';
import type { TlsMode } from '../flags/global-flags.ts';
import { type Handshake, probeTls } from './probe.ts';

/** How the calls travel. Unverified TLS with a certificate takes that one and no other, without one it takes any. */
export type Rung =
  | { kind: 'verified' }
  | { kind: 'unverified'; certificateSha256: string | undefined }
  | { kind: 'plaintext' };

/** What a profile knows about the TLS of its server. */
export interface TlsMemory {
  readonly profile: string;
  readonly certificateSha256: string | undefined;
  readonly tlsSeen: boolean;
}

interface RungChoice {
  rung: Rung;
  /** What to tell on stderr; empty when the connection is as safe as it can be or was asked for. */
  remarks: readonly string[];
  /** What the profile should remember from now on; undefined when it knows that already, or there is none. */
  learned: TlsMemory | undefined;
}

interface LadderOptions {
  address: Address;
  mode: TlsMode;
  /** Undefined without a profile, and when its server is another one. */
  memory: TlsMemory | undefined;
  signal: AbortSignal;
}

type Secured = Exclude<Handshake, { kind: 'failed' }>;

/**
 * Decides how to talk to a server, before anything else is sent to it: the API key never travels on a rung that was not
 * allowed. `auto` goes down from verified TLS over unverified TLS to plaintext, and only because of a failed handshake or
 * certificate, never because nothing answers. `pin` takes the certificate that the profile remembers and no other.
 *
 * @throws ServiceError UNAVAILABLE when nothing answers, CommandError when what answers is not what the mode allows.
 */
export async function chooseRung({ address, mode, memory, signal }: LadderOptions): Promise<RungChoice> {
  if (address.scheme === 'http') return plaintextOnly(address, mode);
  if (mode === 'plaintext') return { rung: { kind: 'plaintext' }, remarks: [], learned: undefined };
  if (mode === 'pin') return pinned(address, requireMemory(address, memory), await probeTls(address, signal));
  const handshake = await probeTls(address, signal);
  if (handshake.kind === 'failed') {
    if (mode !== 'auto') throw refused(address, handshake);
    return { rung: { kind: 'plaintext' }, remarks: fallRemarks(address, handshake.reason, memory), learned: undefined };
  }
  if (handshake.kind === 'verified' && mode !== 'insecure')
    return { rung: { kind: 'verified' }, remarks: [], learned: withTls(memory) };
  if (handshake.kind === 'unverified' && mode === 'verify') throw refused(address, handshake);
  return unverified(address, { mode, memory, handshake });
}

/** TLS without a verified certificate: with any certificate when that was asked for, else with the one just seen. */
function unverified(
  { authority }: Address,
  { mode, memory, handshake }: { mode: TlsMode; memory: TlsMemory | undefined; handshake: Secured },
): RungChoice {
  if (handshake.kind === 'verified')
    return { rung: { kind: 'unverified', certificateSha256: undefined }, remarks: [], learned: withTls(memory) };
  const { certificateSha256, reason } = handshake;
  const remarks = [];
  if (mode === 'auto')
    remarks.push(`${authority}: ${reason}; using TLS without verification. To forbid it: --tls verify`);
  const before = memory?.certificateSha256;
  if (memory !== undefined && before !== undefined && before !== certificateSha256)
    remarks.push(changeRemark(authority, memory.profile, before, certificateSha256));
  return {
    rung: { kind: 'unverified', certificateSha256: mode === 'auto' ? certificateSha256 : undefined },
    remarks,
    learned: withTls(memory, certificateSha256),
  };
}

function pinned(address: Address, memory: TlsMemory, handshake: Handshake): RungChoice {
  const { authority } = address;
  if (handshake.kind === 'failed') throw plaintextUnderPin(authority, memory, handshake.reason);
  const { certificateSha256 } = handshake;
  const rung: Rung = { kind: 'unverified', certificateSha256 };
  if (memory.certificateSha256 === certificateSha256) return { rung, remarks: [], learned: withTls(memory) };
  if (memory.certificateSha256 !== undefined) throw changedCertificate(address, memory, certificateSha256);
  const remark = `${authority}: profile ${memory.profile} remembers its certificate from now on and accepts no other:\n  ${certificateSha256}`;
  return { rung, remarks: [remark], learned: withTls(memory, certificateSha256) };
}

/** The memory with what was just seen; undefined when nothing in it is new. */
function withTls(memory: TlsMemory | undefined, certificateSha256 = memory?.certificateSha256): TlsMemory | undefined {
  if (memory === undefined) return undefined;
  if (memory.tlsSeen && memory.certificateSha256 === certificateSha256) return undefined;
  return { profile: memory.profile, tlsSeen: true, certificateSha256 };
}

function fallRemarks({ authority }: Address, reason: string, memory: TlsMemory | undefined): string[] {
  const fall = `${authority}: ${reason}; using plaintext: everything, the API key too, can be read on the way. To forbid it: --tls verify`;
  if (memory?.tlsSeen !== true) return [fall];
  const before = memory.certificateSha256 ?? 'TLS with a verified certificate';
  return [
    fall,
    `${authority}: profile ${memory.profile} reached it over TLS before, and now it is plaintext. To forbid that: --tls pin\n  before  ${before}\n  now     plaintext, no certificate`,
  ];
}

function changeRemark(authority: string, profile: string, before: string, now: string): string {
  return `${authority}: its certificate is not the one that profile ${profile} remembers; the server may have made itself a new one. To forbid it: --tls pin\n  before  ${before}\n  now     ${now}`;
}

/** The certificate is another one than the profile is pinned to. */
export function changedCertificate(
  { authority }: Address,
  { profile, certificateSha256 }: TlsMemory,
  now: string | undefined,
): CommandError {
  return new CommandError(`The certificate of ${authority} is not the one that profile ${profile} is pinned to`, {
    code: 'UNAVAILABLE',
    exit: EXIT.unavailable,
    details: `remembered ${certificateSha256}, now ${now}`,
    next: `If the new one is right: svc profile update ${profile} --forget-certificate`,
  });
}

function plaintextUnderPin(authority: string, { profile, certificateSha256 }: TlsMemory, reason: string): CommandError {
  const remembered = certificateSha256 === undefined ? '' : `; profile ${profile} remembers ${certificateSha256}`;
  return new CommandError(`No TLS at ${authority}, and --tls pin forbids plaintext`, {
    code: 'UNAVAILABLE',
    exit: EXIT.unavailable,
    details: `${reason}${remembered}`,
    next: `If plaintext is right: svc profile update ${profile} --forget-certificate --tls auto`,
  });
}

function refused({ authority }: Address, { kind, reason }: Exclude<Handshake, { kind: 'verified' }>): CommandError {
  return new CommandError(`No safe connection to ${authority}`, {
    code: 'UNAVAILABLE',
    exit: EXIT.unavailable,
    details: reason,
    next:
      kind === 'failed'
        ? 'To connect without TLS: --tls plaintext'
        : 'To accept its certificate anyway: --tls insecure',
  });
}

function plaintextOnly({ authority }: Address, mode: TlsMode): RungChoice {
  if (mode === 'auto' || mode === 'plaintext') return { rung: { kind: 'plaintext' }, remarks: [], learned: undefined };
  throw new CommandError(`http://${authority} means plaintext, which --tls ${mode} forbids`, {
    code: 'INVALID_ARGUMENT',
    exit: EXIT.usage,
    next: `Write https://${authority}, or allow it with --tls plaintext`,
  });
}

function requireMemory({ authority }: Address, memory: TlsMemory | undefined): TlsMemory {
  if (memory !== undefined) return memory;
  throw new ConfigurationError('--tls pin needs a profile that remembers the certificate', {
    details: `there is no profile in use whose server is ${authority}`,
    next: `Make one: svc profile create NAME --server ${authority} --tls pin`,
  });
}
