import { Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { BodyShare } from '../body-budget.ts';
import { timedOut, watchProgress } from '../progress.ts';
import { MessageReader } from './message-reader.ts';
import { addFacts } from './status.ts';

interface IntakeOptions {
  requestId: string;
  /** The limit of one message, compressed and decompressed. */
  maxBytes: number;
  share: BodyShare;
  /** The status for an error. */
  statusOf(error: unknown): Status;
  /** Called for failures that the library detects. */
  onFailure?(code: ErrorCode): void;
}

/**
 * Reads the messages of a call within their limits, and adds to every error status the metadata that all errors have.
 */
export class Intake {
  readonly #call: ServerInterceptingCallInterface;
  readonly #options: IntakeOptions;
  readonly #reader: MessageReader;
  #isRefused = false;
  #unwatch = () => {};

  constructor(call: ServerInterceptingCallInterface, options: IntakeOptions) {
    this.#call = call;
    this.#options = options;
    this.#reader = new MessageReader(options.maxBytes, options.share);
    replaceParts(call, {
      read: (data) => this.#read(data),
      unpack: (message, encoding) => this.#unpack(message, encoding),
      status: (told) => this.#complete(told),
    });
  }

  /** Refuses a call whose messages stall: while one is due, bytes of it have to arrive in every period. */
  watch(isDue: () => boolean, periodMs: number): void {
    const messages = {
      received: () => this.#reader.received,
      held: () => this.#reader.reserved,
      isExcused: () => !isDue() && !this.#reader.isAmid,
    };
    this.#unwatch = watchProgress(messages, periodMs, (details) => {
      this.#refuse(timedOut('message', details));
    });
  }

  /** Releases the memory of a content that has been processed. */
  taken(content: Uint8Array): void {
    this.#reader.taken(content);
  }

  /** The call is over. */
  close(): void {
    this.#isRefused = true;
    this.#unwatch();
    this.#options.share.release();
  }

  #read(data: Buffer): Buffer[] {
    // The client may go on sending for a while after it is refused.
    if (this.#isRefused) return [];
    try {
      return this.#reader.write(data);
    } catch (error) {
      this.#refuse(error);
      return [];
    }
  }

  async #unpack(message: Buffer, encoding: string): Promise<Uint8Array> {
    try {
      return await this.#reader.content(message, encoding);
    } catch (error) {
      this.#isRefused = true;
      throw this.#options.statusOf(error);
    }
  }

  #refuse(error: unknown): void {
    this.#isRefused = true;
    this.#call.sendStatus(this.#options.statusOf(error));
  }

  /** Adds the error code and the request id to a status that the library made itself. */
  #complete(told: Status): Status {
    if (told.code === status.OK) return told;
    const metadata = told.metadata?.clone() ?? new Metadata();
    metadata.set('x-request-id', this.#options.requestId);
    const code = CODES.get(told.code ?? status.UNKNOWN);
    if (code !== undefined && metadata.get('x-error-code').length === 0) {
      this.#options.onFailure?.(code);
      addFacts(metadata, new ServiceError(code, told.details ?? ''));
    }
    return { ...told, metadata };
  }
}

/** The first error code of each gRPC status. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  Object.entries(ERROR_CODES)
    .map(([code, { grpc }]) => [grpc, code as ErrorCode] as const)
    .reverse(),
);

/** What {@link replaceParts} puts into a call. */
interface CallParts {
  /** Takes bytes of the request and returns the messages that they complete, each with its prefix. Must not throw. */
  read(data: Buffer): Buffer[];
  /** The content of one of these messages. A rejection is a status that ends the call. */
  unpack(message: Buffer, encoding: string): Promise<Uint8Array>;
  /** Changes the status of a call before it is sent. */
  status(status: Status): Status;
}

type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

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
function replaceParts(call: ServerInterceptingCallInterface, parts: CallParts): void {
  const base = call as BaseCall;
  if (typeof base.decoder?.write !== 'function' || typeof base.decompressMessage !== 'function') {
    throw new Error('this version of @grpc/grpc-js does not have the members that reading messages depends on');
  }
  const send = base.sendStatus;
  base.decoder = { write: parts.read };
  base.decompressMessage = parts.unpack;
  base.sendStatus = (status) => send.call(base, parts.status(status));
}
