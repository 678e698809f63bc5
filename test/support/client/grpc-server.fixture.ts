import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

type Fields = Record<string, unknown>;
type Call = { request: Message; metadata: Metadata };
type Stream = ServerWritableStream<Message, Message>;
type Duplex = ServerDuplexStream<Message, Message>;

/** Answers by the RPC's name. A unary one returns the response's fields; a stream writes messages and ends. */
export interface Handlers {
  unary?: Record<string, (call: Call) => Fields | Promise<Fields>>;
  stream?: Record<string, (call: Stream, send: (fields: Fields) => void) => void>;
  duplex?: Record<string, (call: Duplex, send: (fields: Fields) => void) => void>;
}

export interface TestGrpcServer {
  port: number;
  /** What was called, with the API key that came along. */
  calls: { name: string; key: string | undefined; request: unknown }[];
  close(): void;
}

/** A real gRPC server over the service's own descriptors, on a free loopback port. */
export async function startGrpcServer(
  services: readonly DescService[],
  handlers: Handlers,
  credentials: ServerCredentials = ServerCredentials.createInsecure(),
): Promise<TestGrpcServer> {
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const calls: TestGrpcServer['calls'] = [];
  const note = (name: string, metadata: Metadata, request: unknown): void => {
    const key = metadata.get('x-api-key')[0];
    calls.push({ name, key: key === undefined ? undefined : String(key), request });
  };
  for (const service of services) {
    const known = service.methods.filter(
      ({ name }) => name in { ...handlers.unary, ...handlers.stream, ...handlers.duplex },
    );
    if (known.length === 0) continue;
    const definition = Object.fromEntries(known.map((method) => [method.name, definitionOf(method)]));
    const implementation: UntypedServiceImplementation = Object.fromEntries(
      known.map((method) => [method.name, implementationOf(method, handlers, note)]),
    );
    server.addService(definition, implementation);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return { port, calls, close: () => server.forceShutdown() };
}

function definitionOf(method: DescMethod) {
  const encode = (desc: DescMessage) => (message: Message) => Buffer.from(toBinary(desc, message));
  const decode = (desc: DescMessage) => (bytes: Buffer) => fromBinary(desc, bytes);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind !== 'unary',
    requestSerialize: encode(method.input),
    requestDeserialize: decode(method.input),
    responseSerialize: encode(method.output),
    responseDeserialize: decode(method.output),
  };
}

function implementationOf(
  { name, output }: DescMethod,
  { unary, stream, duplex }: Handlers,
  note: (name: string, metadata: Metadata, request: unknown) => void,
): UntypedHandleCall {
  const unaryHandler = unary?.[name];
  if (unaryHandler !== undefined) {
    return (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => {
      note(name, call.metadata, call.request);
      Promise.resolve()
        .then(() => unaryHandler(call))
        .then(
          (fields) => callback(null, create(output, fields)),
          (error: unknown) => callback(error as Error),
        );
    };
  }
  const streamHandler = stream?.[name];
  if (streamHandler !== undefined) {
    return (call: Stream) => {
      note(name, call.metadata, call.request);
      streamHandler(call, (fields) => call.write(create(output, fields)));
    };
  }
  return (call: Duplex) => {
    note(name, call.metadata, undefined);
    duplex?.[name]?.(call, (fields) => call.write(create(output, fields)));
  };
}
