import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack, anyUnpack, DurationSchema } from '@bufbuild/protobuf/wkt';
import {
  ERROR_CODES,
  type ErrorCode,
  isErrorCode,
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
const ERROR_DOMAIN = 'service.v1';

/** The trailing metadata in which gRPC carries the google.rpc.Status of a failed call, as bytes. */
export const STATUS_DETAILS = 'grpc-status-details-bin';

/**
 * The most bytes of the details: many clients refuse an answer whose metadata takes more than 16 KB, and this metadata
 * is base64 and comes with the details as text.
 */
const MOST_BYTES = 2400;
const MOST_MESSAGE_CHARACTERS = 250;
const MOST_NAME_CHARACTERS = 250;

/**
 * An error as a google.rpc.Status: ErrorInfo with its code; ResourceInfo, RetryInfo and BadRequest where it is about a
 * resource, a time to wait, or fields. Of the fields there are as many as fit into `MOST_BYTES`, in their order.
 */
export function statusOf(error: ServiceError, message: string = error.message): Status {
  const { code, resource, retryAfterSeconds, violations = [] } = error;
  const details = [anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN }))];
  if (resource !== undefined) details.push(resourceInfo(resource));
  if (retryAfterSeconds !== undefined) details.push(retryInfo(retryAfterSeconds));
  const fields = badRequest(violations, MOST_BYTES - sizeOf(details));
  if (fields !== undefined) details.push(fields);
  return create(StatusSchema, { code: ERROR_CODES[code].grpc, message: wellFormed(message), details });
}

/** The value of the metadata `grpc-status-details-bin`. A long message is cut there: the gRPC status has it in full. */
export function statusDetails(error: ServiceError): Buffer {
  const message = truncateCodePoints(error.message, MOST_MESSAGE_CHARACTERS);
  return Buffer.from(toBinary(StatusSchema, statusOf(error, message)));
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
    // Three tags with their lengths, and those of the message.
    left -= Buffer.byteLength(path) + Buffer.byteLength(problem) + reason.length + 16;
    if (left < 0) break;
    told.fieldViolations.push({
      $typeName: 'google.rpc.BadRequest.FieldViolation',
      field: wellFormed(path),
      description: wellFormed(problem),
      reason,
    });
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
    code: isErrorCode(info?.reason) ? info.reason : undefined,
    resource: kind && { kind, ...(resource?.resourceName ? { id: resource.resourceName } : {}) },
    violations: fields?.map(({ field, description, reason }) => ({
      path: field,
      problem: description,
      ...(isReason(reason) ? { reason } : {}),
    })),
    retryAfterSeconds: retry && Number(retry.seconds) + retry.nanos / 1e9,
  };
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
