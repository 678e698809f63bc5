import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  ChannelCredentials,
  type ClientOptions,
  Client as GrpcChannel,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { firstOf, onAbort } from '../../../shared/async/abort.ts';
import { withTimeout } from '../../../shared/async/deadline.ts';
import { readMessage } from '../../../shared/binary.ts';
import type { Address } from '../config/address.ts';
import { Unreachable } from '../errors.ts';
import { maskKey } from '../text/printable.ts';
import { serviceErrorOf } from './call-errors.ts';
import type { CallOptions, Client } from './client.ts';
import { probeHttp2, probeTls } from './probe.ts';
import { RungCredentials } from './secure-channel.ts';
import type { Rung } from './tls-ladder.ts';

const UNARY_TIMEOUT_MS = 120_000;
const STREAM_TIMEOUT_MS = 3_600_000;

interface GrpcClientOptions {
  address: Address;
  rung: Rung;
  apiKey: string | undefined;
  /** Ends every call. */
  signal: AbortSignal;
  /** Lines for `--debug`; keys are masked before they get here. */
  trace: ((line: string) => void) | undefined;
}

/** A client on one channel. The rung is fixed: a connection that cannot be made on it fails. */
export function grpcClient(options: GrpcClientOptions): Client {
  const { address } = options;
  const channel = new GrpcChannel(`dns:${address.authority}`, channelCredentials(options), CHANNEL_OPTIONS);
  return {
    authority: address.authority,
    call: (method, request, more = {}) =>
      unary(channel, method, create(method.input, request), prepareCall(options, method, more, UNARY_TIMEOUT_MS)),
    stream: (method, request, more = {}) => {
      const { path, metadata, deadline, signal, failed } = prepareCall(options, method, more, STREAM_TIMEOUT_MS);
      const { input, output } = method;
      const message = create(input, request);
      const start = () =>
        channel.makeServerStreamRequest(path, encoder(input), decoder(output), message, metadata, { deadline });
      return events(start, signal, failed);
    },
    duplex: (method, more = {}) => {
      const { path, metadata, deadline, signal, failed } = prepareCall(options, method, more, STREAM_TIMEOUT_MS);
      const { input, output } = method;
      const rpc = channel.makeBidiStreamRequest(path, encoder(input), decoder(output), metadata, { deadline });
      // Also when the events are not read: an 'error' without a listener would end the process.
      rpc.on('error', () => {});
      return {
        send: (message) => {
          rpc.write(create(input, message));
        },
        end: () => rpc.end(),
        events: events(() => rpc, signal, failed),
      };
    },
    close: () => channel.close(),
  };
}

function unary<I extends DescMessage, O extends DescMessage>(
  channel: GrpcChannel,
  { input, output }: DescMethodUnary<I, O>,
  request: MessageShape<I>,
  { path, metadata, deadline, signal, failed }: PreparedCall,
): Promise<MessageShape<O>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const done = (error: ServiceError | null, response?: MessageShape<O>): void => {
      unlisten();
      if (error === null && response !== undefined) resolve(response);
      else failed(error).then(reject, reject);
    };
    const rpc = channel.makeUnaryRequest(path, encoder(input), decoder(output), request, metadata, { deadline }, done);
    const unlisten = onAbort(signal, () => rpc.cancel());
  });
}

interface Cancelable<T> extends AsyncIterable<T> {
  cancel(): void;
}

async function* events<T>(
  start: () => Cancelable<T>,
  signal: AbortSignal,
  failed: PreparedCall['failed'],
): AsyncGenerator<T> {
  signal.throwIfAborted();
  const rpc = start();
  let hasBegun = false;
  const unlisten = onAbort(signal, () => rpc.cancel());
  try {
    for await (const event of rpc) {
      hasBegun = true;
      yield event;
    }
  } catch (error) {
    throw await failed(error, hasBegun);
  } finally {
    unlisten();
    rpc.cancel();
  }
}

interface PreparedCall {
  path: string;
  metadata: Metadata;
  deadline: number;
  signal: AbortSignal;
  /** What to throw for a failure. `hasBegun`: the server has answered already, so there was a connection. */
  failed: (error: unknown, hasBegun?: boolean) => Promise<unknown>;
}

function prepareCall(
  options: GrpcClientOptions,
  method: DescMethod,
  more: CallOptions,
  timeoutMs: number,
): PreparedCall {
  const { address, apiKey, trace } = options;
  const path = `/${method.parent.typeName}/${method.name}`;
  const metadata = new Metadata();
  if (apiKey !== undefined) metadata.set('x-api-key', apiKey);
  for (const [name, value] of Object.entries(more.metadata ?? {})) metadata.set(name, value);
  const signal = signalOf(options.signal, more);
  const deadline = Date.now() + (more.timeoutMs ?? timeoutMs);
  trace?.(`> ${address.authority}${path} ${shownMetadata(metadata)}`);
  return {
    path,
    metadata,
    deadline,
    signal,
    failed: async (error, hasBegun = false) => {
      if (signal.aborted) return signal.reason;
      if (!isRpcError(error)) return error;
      trace?.(`< ${path} status ${error.code} ${error.details} ${shownMetadata(error.metadata)}`);
      const failure = serviceErrorOf(error, { authority: address.authority, hasBegun, apiKey });
      return failure instanceof Unreachable ? explained(failure, options, { signal, deadline }) : failure;
    },
  };
}

/**
 * Why there is no connection. grpc-js has words alone for that, so a connection of the same rung is tried once more: it
 * fails with a code, or as data. One that does not fail any more leaves the failure as it was told.
 */
async function explained(
  failure: Unreachable,
  { address, rung }: GrpcClientOptions,
  { signal, deadline }: Pick<PreparedCall, 'signal' | 'deadline'>,
): Promise<unknown> {
  const { authority } = address;
  const { cause } = failure;
  try {
    const probe = rung.kind === 'plaintext' ? probeHttp2 : probeTls;
    const found = await probe(address, withTimeout(signal, Math.max(0, deadline - Date.now())));
    return 'reason' in found && found.kind !== 'unverified'
      ? new Unreachable(authority, found.reason, { why: 'not gRPC', cause })
      : failure;
  } catch (error) {
    if (signal.aborted) return signal.reason;
    // Without an answer in the time that the call had, the failure stays as it was told.
    return error instanceof Unreachable ? error : failure;
  }
}

function signalOf(general: AbortSignal, { signal, outlives }: CallOptions): AbortSignal {
  if (signal === undefined) return general;
  return outlives === true ? signal : firstOf(general, signal);
}

function isRpcError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

const SECRET_METADATA = new Set(['x-api-key', 'authorization', 'x-service-init-token']);

function shownMetadata(metadata: Metadata): string {
  const entries = Object.entries(metadata.getMap()).map(([name, value]) => {
    const text = String(value);
    return `${name}=${SECRET_METADATA.has(name) ? maskKey(text) : text}`;
  });
  return entries.join(' ');
}

function channelCredentials({ rung, address: { host } }: GrpcClientOptions): ChannelCredentials {
  return rung.kind === 'plaintext' ? ChannelCredentials.createInsecure() : new RungCredentials(host, rung);
}

const CHANNEL_OPTIONS: ClientOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // The handshake that decided about the rung went straight to the server; the calls have to go the same way.
  'grpc.enable_http_proxy': 0,
  // Nor may a TXT record in the DNS configure how they are made.
  'grpc.service_config_disable_resolution': 1,
  // Callers retry soon while a server restarts; the default backoff of the channel is up to two minutes.
  'grpc.max_reconnect_backoff_ms': 5000,
};

function encoder<D extends DescMessage>(desc: D): (message: MessageShape<D>) => Buffer {
  return (message) => {
    const bytes = toBinary(desc, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function decoder<D extends DescMessage>(desc: D): (bytes: Buffer) => MessageShape<D> {
  return (bytes) => readMessage(desc, bytes);
}
