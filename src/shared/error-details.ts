import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack, anyUnpack, DurationSchema } from '@bufbuild/protobuf/wkt';
import {
  codeOfGrpc,
  codeOfHttp,
  ERROR_CODES,
  type ErrorCode,
  isErrorCode,
  MOST_FIELD_CHARACTERS,
  NOT_A_UUID,
  RESOURCE_KINDS,
  type Resource,
  type ServiceError,
  type Violation,
  type ViolationReason,
} from './errors.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from './gen/google/rpc/error_details_pb.ts';
import { type Status, StatusSchema } from './gen/google/rpc/status_pb.ts';
import { truncateCodePoints, wellFormed } from './text.ts';

/** The `domain` of every ErrorInfo of the service. */
export const ERROR_DOMAIN = 'service.v1';

/** The trailing metadata in which gRPC carries the google.rpc.Status of a failed call, as bytes. */
export const STATUS_DETAILS = 'grpc-status-details-bin';

/**
 * The C core of gRPC, which Python, Ruby, C++ and PHP stand on, refuses trailing metadata of more than 8,192 bytes at random,
 * the more often the larger it is, and its callers see RESOURCE_EXHAUSTED in place of the error. So all of it together stays
 * below 7,000: the message, the details as text, and these details in base64.
 */
const MOST_MESSAGE_ENCODED = 1000;
const MOST_DETAILS_ENCODED = 3200;
const MOST_BYTES = 1900;
/** Items of a batch travel in the body of an answer, where there is room for more. */
const MOST_BYTES_OF_ITEM = 2400;
const MOST_NAME_CHARACTERS = 120;

/**
 * An error as a google.rpc.Status: ErrorInfo with its code; ResourceInfo, RetryInfo and BadRequest where it is about a
 * resource, a time to wait, or fields. Of the fields there are as many as fit into `mostBytes`, in their order.
 */
export function statusOf(
  error: ServiceError,
  message: string = error.message,
  mostBytes: number = MOST_BYTES_OF_ITEM,
): Status {
  const { code, resource, retryAfterSeconds, violations = [] } = error;
  const details = [anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN }))];
  if (resource !== undefined) details.push(resourceInfo(resource));
  if (retryAfterSeconds !== undefined) details.push(retryInfo(retryAfterSeconds));
  const told = wellFormed(message);
  const fields = badRequest(violations, mostBytes - sizeOf(details));
  if (fields !== undefined) details.push(fields);
  return create(StatusSchema, { code: ERROR_CODES[code].grpc, message: told, details });
}

/** What trailing metadata has room for of an error. */
interface Trailer {
  /** Of the gRPC status and of `statusDetails` alike: readers of these compare the two. */
  message: string;
  /** The value of `x-error-details`: percent-encoded UTF-8. */
  details: string;
  /** The value of `grpc-status-details-bin`. */
  statusDetails: Buffer;
}

/** An error as gRPC sends it. What is too long ends in an ellipsis. */
export function trailerOf(error: ServiceError): Trailer {
  const message = decodeURIComponent(percentEncoded(error.message, MOST_MESSAGE_ENCODED));
  return {
    message,
    details: percentEncoded(error.details, MOST_DETAILS_ENCODED),
    statusDetails: Buffer.from(
      toBinary(StatusSchema, statusOf(error, message, MOST_BYTES - Buffer.byteLength(message))),
    ),
  };
}

/** Percent-encoded UTF-8 of at most so many characters, and of an ellipsis where it was cut. */
function percentEncoded(text: string, most: number): string {
  let told = '';
  for (const character of wellFormed(text)) {
    const next = encodeURIComponent(character);
    if (told.length + next.length > most) return `${told}${encodeURIComponent('…')}`;
    told += next;
  }
  return told;
}

function resourceInfo({ kind, id = '' }: Resource): Any {
  const resourceName = wellFormed(truncateCodePoints(id, MOST_NAME_CHARACTERS));
  return anyPack(ResourceInfoSchema, create(ResourceInfoSchema, { resourceType: kind, resourceName }));
}

/** In whole seconds, as the header Retry-After has it. */
function retryInfo(seconds: number): Any {
  const retryDelay = create(DurationSchema, { seconds: BigInt(Math.ceil(seconds)) });
  return anyPack(RetryInfoSchema, create(RetryInfoSchema, { retryDelay }));
}

function badRequest(violations: readonly Violation[], mostBytes: number): Any | undefined {
  const told = create(BadRequestSchema);
  // The Any around it takes some 60 bytes.
  let left = mostBytes - 60;
  for (const { path, problem, reason = '' } of violations) {
    const field = wellFormed(truncateCodePoints(path, MOST_FIELD_CHARACTERS));
    const description = wellFormed(truncateCodePoints(problem, MOST_FIELD_CHARACTERS));
    // Three tags with their lengths, and those of the message.
    left -= Buffer.byteLength(field) + Buffer.byteLength(description) + reason.length + 16;
    if (left < 0) break;
    told.fieldViolations.push({ $typeName: 'google.rpc.BadRequest.FieldViolation', field, description, reason });
  }
  return told.fieldViolations.length === 0 ? undefined : anyPack(BadRequestSchema, told);
}

function sizeOf(details: Any[]): number {
  return toBinary(StatusSchema, create(StatusSchema, { details })).length;
}

/** What the details of a status say of an error. */
export interface ErrorFacts {
  code?: ErrorCode | undefined;
  resource?: Resource | undefined;
  violations?: Violation[] | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Reads what {@link statusOf} has written. Details of other kinds, of other domains or of newer versions are left out. */
export function factsOf({ details }: Pick<Status, 'details'>): ErrorFacts {
  const info = detailOf(details, ErrorInfoSchema);
  const resource = detailOf(details, ResourceInfoSchema);
  const retry = detailOf(details, RetryInfoSchema)?.retryDelay;
  const fields = detailOf(details, BadRequestSchema)?.fieldViolations;
  const kind = RESOURCE_KINDS.find((each) => each === resource?.resourceType);
  return {
    code: info?.domain === ERROR_DOMAIN && isErrorCode(info.reason) ? info.reason : undefined,
    resource: kind && { kind, ...(resource?.resourceName ? { id: resource.resourceName } : {}) },
    violations: fields?.map(({ field, description, reason }) => ({
      path: field,
      problem: description,
      ...(isReason(reason) ? { reason } : {}),
    })),
    retryAfterSeconds: retry && Number(retry.seconds) + retry.nanos / 1e9,
  };
}

/** The code of a status: the one that its ErrorInfo names, else the one that its number stands for. */
function codeIn(status: Pick<Status, 'code' | 'details'>): ErrorCode {
  return factsOf(status).code ?? codeOfGrpc(status.code);
}

/** The HTTP status of a google.rpc.Status. */
export function httpStatusOf(status: Status): number {
  return ERROR_CODES[codeIn(status)].http;
}

/** The google.rpc.Status that {@link httpStatusOf} reads back; a status that no code has counts as INTERNAL. */
export function statusFromHttp(http: number, message: string): Status {
  const code = codeOfHttp(http);
  const info = create(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN });
  return create(StatusSchema, { code: ERROR_CODES[code].grpc, message, details: [anyPack(ErrorInfoSchema, info)] });
}

/** Undefined, too, for one that cannot be read. */
function detailOf<Desc extends DescMessage>(details: readonly Any[], desc: Desc): MessageShape<Desc> | undefined {
  for (const detail of details) {
    try {
      const found = anyUnpack(detail, desc);
      if (found !== undefined) return found;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function isReason(text: string): text is ViolationReason {
  return text === NOT_A_UUID.reason;
}
