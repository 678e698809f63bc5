import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** What {@link takeOver} puts into a call. */
export interface CallParts {
  /** Takes bytes of the request and returns the messages that they complete, each with its prefix. Must not throw. */
  read(data: Buffer): Buffer[];
  /** The content of one of these messages. A rejection is a status that ends the call. */
  unpack(message: Buffer, encoding: string): Promise<Uint8Array>;
  /** Changes the status of a call before it is sent. */
  status(status: Status): Status;
}

export type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** The call object of grpc-js 1.14 that the first interceptor gets, with the members that are not public. */
interface BaseCall extends ServerInterceptingCallInterface {
  decoder: { write(data: Buffer): Buffer[] };
  decompressMessage(message: Buffer, encoding: string): Promise<Uint8Array> | Uint8Array;
}

/**
 * Replaces the decoder, the decompression and the sending of the status of a call by `parts`. The library has no other
 * place for this: an interceptor sees a message only when it is in memory and decompressed, up to a limit that is the
 * same for all callers, and never sees the statuses that the library sends by itself. Throws when a later version of
 * the library lacks these members, and so on the first call.
 */
export function takeOver(call: ServerInterceptingCallInterface, parts: CallParts): void {
  const base = call as BaseCall;
  if (typeof base.decoder?.write !== 'function' || typeof base.decompressMessage !== 'function') {
    throw new Error('this version of @grpc/grpc-js does not have the members that reading messages depends on');
  }
  const send = base.sendStatus;
  base.decoder = { write: parts.read };
  base.decompressMessage = parts.unpack;
  base.sendStatus = (status) => send.call(base, parts.status(status));
}
