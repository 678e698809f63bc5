import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { OPERATIONS } from '../../../shared/operations/table.ts';
import { KEYLESS_BYTES } from '../body-budget.ts';
import { toServiceError } from '../calls.ts';
import { Arrival, type ArrivalOptions, requestIdOf } from './arrival.ts';
import { Intake } from './intake.ts';
import { toGrpcError } from './status.ts';

/** Intercepts every call before any of its messages is read. */
export class Arrivals {
  readonly #options: ArrivalOptions;
  readonly #arrived = new WeakMap<Metadata, Arrival>();

  constructor(options: ArrivalOptions) {
    this.#options = options;
  }

  /** The arrival of the call that a handler was given. */
  of({ metadata }: { metadata: Metadata }): Arrival {
    const arrival = this.#arrived.get(metadata);
    if (arrival === undefined) throw new Error('a handler was given a call that has not arrived');
    return arrival;
  }

  /** The interceptor of the server. It must be the first one. */
  readonly intercept: ServerInterceptor = ({ path }, call) => {
    const operation = BY_PATH.get(path);
    if (operation === undefined) return this.#keyless(call);
    let arrival: Arrival | undefined;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            arrival = new Arrival(call, metadata, operation, this.#options);
            this.#arrived.set(metadata, arrival);
            void arrival.admit(() => proceed(metadata));
          },
          onCancel: () => arrival?.closed(),
        }),
    });
  };

  /** Health and reflection are not in the operations table and need no key. */
  #keyless(call: Parameters<ServerInterceptor>[1]): ServerInterceptingCall {
    const { calls, maxMessageBytes, log } = this.#options;
    let intake: Intake | undefined;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            const requestId = requestIdOf(metadata);
            intake = new Intake(call, {
              requestId,
              maxBytes: Math.min(KEYLESS_BYTES, maxMessageBytes),
              share: calls.bodies.open(),
              statusOf: (error) => toGrpcError(toServiceError(error, requestId, log)),
            });
            proceed(metadata);
          },
          onReceiveMessage: (message, proceed) => {
            intake?.taken(message);
            proceed(message);
          },
          onCancel: () => intake?.close(),
        }),
    });
  }
}

const BY_PATH = new Map(
  Object.values(OPERATIONS).map((operation) => [`/${operation.rpc.parent.typeName}/${operation.rpc.name}`, operation]),
);
