import { create, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { type ServerDuplexStream, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  ErrorResponseSchema,
  FileDescriptorResponseSchema,
  ListServiceResponseSchema,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '../../../shared/gen/grpc/reflection/v1/reflection_pb.ts';
import { parseRequest } from './bridge.ts';
import { guarded } from './status.ts';

type Answer = ServerReflectionResponse['messageResponse'];

/** Server reflection v1 over the descriptors of these services and all that they import. */
export function reflectionImplementation(services: readonly DescService[]): UntypedServiceImplementation {
  const files = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  for (const service of services) addFile(service.file, files, symbols);

  const answer = ({ messageRequest }: ServerReflectionRequest): Answer => {
    switch (messageRequest.case) {
      case 'listServices':
        return { case: 'listServicesResponse', value: listing(services) };
      case 'fileByFilename':
        return descriptors(files.get(messageRequest.value), messageRequest.value);
      case 'fileContainingSymbol':
        return descriptors(symbols.get(messageRequest.value), messageRequest.value);
      case 'fileContainingExtension':
      case 'allExtensionNumbersOfType':
        return failure(status.NOT_FOUND, 'No extensions are published');
      default:
        return failure(status.INVALID_ARGUMENT, 'The request names nothing to look up');
    }
  };

  const info = (call: ServerDuplexStream<Uint8Array, ServerReflectionResponse>) => {
    call.on('data', (bytes: Uint8Array) => {
      const response = guarded(() => {
        const request = parseRequest(ServerReflectionRequestSchema, bytes);
        const messageResponse = answer(request);
        return { validHost: request.host, originalRequest: request, messageResponse };
      });
      if ('error' in response) call.emit('error', response.error);
      // Back-pressure: answers are long and need no key, so a client that does not read them is not read either.
      else if (!call.write(create(ServerReflectionResponseSchema, response.value))) call.pause();
    });
    call.on('drain', () => call.resume());
    call.on('end', () => call.end());
  };
  return { ServerReflectionInfo: info };
}

function addFile(file: DescFile, files: Map<string, DescFile>, symbols: Map<string, DescFile>): void {
  const name = file.proto.name;
  if (files.has(name)) return;
  files.set(name, file);
  for (const symbol of symbolsOf(file)) symbols.set(symbol, file);
  for (const dependency of file.dependencies) addFile(dependency, files, symbols);
}

function symbolsOf(file: DescFile): string[] {
  const messages = file.messages.flatMap(function names(message): string[] {
    return [
      message.typeName,
      ...message.fields.map((field) => `${message.typeName}.${field.name}`),
      ...message.nestedEnums.map((nested) => nested.typeName),
      ...message.nestedMessages.flatMap(names),
    ];
  });
  const services = file.services.flatMap((service) => [
    service.typeName,
    ...service.methods.map((method) => `${service.typeName}.${method.name}`),
  ]);
  return [...messages, ...file.enums.map((entry) => entry.typeName), ...services];
}

/** The file and everything it imports, so that clients need no second request. */
function descriptors(file: DescFile | undefined, name: string): Answer {
  if (file === undefined) return failure(status.NOT_FOUND, `Not found: ${name}`);
  const files = new Map<string, DescFile>();
  addFile(file, files, new Map());
  const fileDescriptorProto = [...files.values()].map((entry) => toBinary(FileDescriptorProtoSchema, entry.proto));
  return { case: 'fileDescriptorResponse', value: create(FileDescriptorResponseSchema, { fileDescriptorProto }) };
}

function listing(services: readonly DescService[]) {
  return create(ListServiceResponseSchema, { service: services.map(({ typeName }) => ({ name: typeName })) });
}

function failure(errorCode: number, errorMessage: string): Answer {
  return { case: 'errorResponse', value: create(ErrorResponseSchema, { errorCode, errorMessage }) };
}
