import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** What {@link takeOver} puts into a call. */
export interface CallParts {
  /** Takes bytes of the request; returns the messages that they complete, each with its prefix. Throws nothing. */
  read(data: Buffer): Buffer[];
  /** The content of one of these messages; what it rejects with ends the call as its status. */
  unpack(message: Buffer, encoding: string): Promise<Uint8Array>;
  /** Changes the status of a call before it is sent. */
  status(status: Status): Status;
}

export type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** The call of grpc-js 1.14 that interceptors are given first, with the parts of it that are no public interface. */
interface BaseCall extends ServerInterceptingCallInterface {
  decoder: { write(data: Buffer): Buffer[] };
  decompressMessage(message: Buffer, encoding: string): Promise<Uint8Array> | Uint8Array;
}

/**
 * Lets the bytes of a call pass through `parts`. The library has no other place for this: an interceptor sees a message
 * only when it stands in memory unpacked, up to a limit that is the same for everybody, and never sees the statuses that
 * the library sends by itself. Throws where the library has no such parts any more, and so on the first call.
 */
export function takeOver(call: ServerInterceptingCallInterface, parts: CallParts): void {
  const base = call as BaseCall;
  if (typeof base.decoder?.write !== 'function' || typeof base.decompressMessage !== 'function') {
    throw new Error('this release of @grpc/grpc-js reads messages in another way');
  }
  const send = base.sendStatus;
  base.decoder = { write: parts.read };
  base.decompressMessage = parts.unpack;
  base.sendStatus = (status) => send.call(base, parts.status(status));
}
