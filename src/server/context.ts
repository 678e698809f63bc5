import type { ServiceError } from '../shared/errors.ts';
import type { PlainPermission, RoleName, ScopedPermission } from '../shared/identity.ts';
import type { NamedOperation } from '../shared/operations/operation.ts';
import type { Logger } from './log.ts';

/** The caller whom the API key authenticates. */
export interface Caller {
  userId: string;
  apiKeyId: string;
  role: RoleName;
  /** The key may only read, list and retrieve. */
  readOnly: boolean;
  /** The key is bound to these spaces; undefined means every space. */
  spaceIds: ReadonlySet<string> | undefined;
}

/**
 * A question that goes along with a read, behind it in the same write: whether what the read builds on is still so. What
 * its answer proves was so when the rows were read, or changed back before anyone could tell.
 */
export interface Guard {
  readonly statement: { readonly name: string; readonly text: string };
  readonly values: readonly unknown[];
  /** Judges the rows of the statement. Throws StaleError. */
  check(rows: readonly object[]): void;
}

/** What a call has built on is no longer so: it begins again with what is so now. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  readonly what: 'key' | 'space';

  constructor(what: 'key' | 'space') {
    super(`The ${what} has changed since an earlier call found it`);
    this.what = what;
  }
}

/** That the key of a call is still what an earlier call found. */
export interface Premise {
  /** Undefined once it is known to hold. */
  readonly guard: Guard | undefined;
  /** Asks by itself unless it is known to hold. Throws StaleError. */
  settle(signal: AbortSignal): Promise<void>;
  /** The caller as the key is now; undefined when it may not be used. */
  renew(signal: AbortSignal): Promise<Caller | undefined>;
}

/** One file part of a multipart request, in the order of arrival. Must be read to its end before the next one comes. */
export interface UploadedFile {
  field: string;
  filename: string | undefined;
  contentType: string | undefined;
  data: AsyncIterable<Uint8Array>;
}

/** What a handler knows about its call besides the message. It is the same for REST and gRPC. */
export interface CallContext {
  operation: NamedOperation;
  requestId: string;
  /** Aborts when the client disconnects or cancels, its deadline passes, or the server stops. */
  signal: AbortSignal;
  /** Undefined only in operations that need no key. */
  caller: Caller | undefined;
  /** What `caller` rests on when the key was not looked up for this call, which then only reads. */
  premise?: Premise | undefined;
  /** The init token that the client sent, for InitializeSystem. */
  initToken: string | undefined;
  /** File parts that belong to the request. */
  files: AsyncIterable<UploadedFile> | undefined;
  /** The errors of single items of a batch, by their index: only these items fail. */
  itemErrors?: ReadonlyMap<number, ServiceError>;
  /** Renames the fields in the error of an item as the transport names them; without it they have their JSON names. */
  named?: (error: ServiceError) => ServiceError;
  log: Logger;
}

/** A stored document that can be read from any position. */
export interface ContentSource {
  contentType: string;
  /** The name that the uploading user gave, if any; not validated. */
  filename: string | undefined;
  /** Bytes. */
  length: number;
  /** Lower-case hex SHA-256 of the bytes, when it is known. */
  sha256: string | undefined;
  /** The bytes from `start` up to and without `end`, in pieces of at most 1 MiB. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export type Permission = ScopedPermission | PlainPermission;
