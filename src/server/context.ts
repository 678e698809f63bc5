import type { ServiceError } from '../shared/errors.ts';
import type { PlainPermission, RoleName, ScopedPermission } from '../shared/identity.ts';
import type { NamedOperation } from '../shared/operations/operation.ts';
import type { Logger } from './log.ts';

/** Who calls, as the key proves it. */
export interface Caller {
  userId: string;
  apiKeyId: string;
  role: RoleName;
  /** The key may only read, list and retrieve. */
  readOnly: boolean;
  /** The key is bound to these spaces; undefined means every space. */
  spaceIds: ReadonlySet<string> | undefined;
}

/** One file part of a multipart request, in the order of arrival. Must be read to its end before the next one comes. */
export interface UploadedFile {
  field: string;
  filename: string | undefined;
  contentType: string | undefined;
  data: AsyncIterable<Uint8Array>;
}

/** What a handler knows about its call beyond the message. Nothing in it tells REST from gRPC. */
export interface CallContext {
  operation: NamedOperation;
  requestId: string;
  /** Aborts when the client leaves, its deadline passes, or the server stops waiting for it. */
  signal: AbortSignal;
  /** Undefined only in operations that need no key. */
  caller: Caller | undefined;
  /** The init token that the client sent, for InitializeSystem. */
  initToken: string | undefined;
  /** File parts that belong to the request. */
  files: AsyncIterable<UploadedFile> | undefined;
  /** What is wrong with single items of a batch, by their index: such an item fails, and no other. */
  itemErrors?: ReadonlyMap<number, ServiceError>;
  /** The error of an item with the names that fields have on the caller's wire; left out, those of JSON. */
  named?: (error: ServiceError) => ServiceError;
  log: Logger;
}

/** A stored document that can be read from any position. */
export interface ContentSource {
  contentType: string;
  /** As whoever stored it named it, if they did; anything may stand in it. */
  filename: string | undefined;
  /** Bytes. */
  length: number;
  /** Lower-case hex SHA-256 of the bytes, when it is known. */
  sha256: string | undefined;
  /** The bytes from `start` up to and without `end`, in pieces of at most 1 MiB. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export type Permission = ScopedPermission | PlainPermission;
