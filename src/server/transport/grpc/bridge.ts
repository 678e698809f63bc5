import {
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { readMessage, requireModest } from '../../../shared/binary.ts';
import { ServiceError } from '../../../shared/errors.ts';

/**
 * A protobuf-es service as grpc-js wants it. Requests stay bytes until the handler runs: a message that does not parse
 * is then answered INVALID_ARGUMENT, and not INTERNAL by the library.
 */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.name, methodDefinition(service, method)]));
}

function methodDefinition(service: DescService, method: DescMethod): MethodDefinition<Uint8Array, Message> {
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: (bytes) => Buffer.from(bytes),
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: (bytes) => readMessage(method.output, bytes),
  };
}

/** Reads a request. Throws INVALID_ARGUMENT when the bytes are not that message, PAYLOAD_TOO_LARGE for too many fields. */
export function parseRequest<Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    requireModest(desc, bytes);
    return readMessage(desc, bytes);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('INVALID_ARGUMENT', `The request is not a ${desc.typeName}`, { cause });
  }
}
