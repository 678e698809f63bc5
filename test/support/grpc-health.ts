import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, status } from '@grpc/grpc-js';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../src/shared/gen/grpc/health/v1/health_pb.ts';

import { OPERATIONS } from '../../src/shared/operations/table.ts';

const { check, list, watch } = Health.method;
const path = (method: string) => `/${Health.typeName}/${method}`;
const asked = (service: string) =>
  Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })));

/** A client of the health service of a gRPC port in plaintext; nobody gives it a key. */
export class HealthClient {
  readonly #client: Client;

  constructor(address: string) {
    this.#client = new Client(address.replace('http://', ''), credentials.createInsecure());
  }

  /** Every name with its status. Rejects when a Check of a name says something else than the List. */
  async statuses(): Promise<Record<string, keyof typeof Serving>> {
    const { statuses } = await this.#list();
    const names = Object.keys(statuses);
    const entries = await Promise.all(names.map(async (name) => [name, Serving[await this.#check(name)]] as const));
    for (const [name, checked] of entries) {
      const listed = Serving[statuses[name]?.status ?? Serving.UNKNOWN];
      if (checked !== listed) throw new Error(`Check says ${checked} of "${name}", List says ${listed}`);
    }
    return Object.fromEntries(entries) as Record<string, keyof typeof Serving>;
  }

  /** The statuses that a Watch of a service has reported, as they come. */
  watch(service: string): (keyof typeof Serving)[] {
    const seen: (keyof typeof Serving)[] = [];
    const stream = this.#client.makeServerStreamRequest(
      path(watch.name),
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => fromBinary(watch.output, bytes),
      asked(service),
    );
    stream.on('data', (message: { status: Serving }) => seen.push(Serving[message.status] as keyof typeof Serving));
    stream.on('error', (error: { code?: status }) => {
      // The server went, or the client.
      if (error.code !== status.CANCELLED && error.code !== status.UNAVAILABLE) throw error;
    });
    return seen;
  }

  close(): void {
    this.#client.close();
  }

  #list(): Promise<{ statuses: Record<string, { status: Serving }> }> {
    return this.#unary(list.name, Buffer.alloc(0), (bytes) => fromBinary(list.output, bytes));
  }

  async #check(service: string): Promise<Serving> {
    return (await this.#unary(check.name, asked(service), (bytes) => fromBinary(check.output, bytes))).status;
  }

  #unary<T>(method: string, request: Buffer, read: (bytes: Buffer) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path(method),
        (bytes: Buffer) => bytes,
        read,
        request,
        (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
      );
    });
  }
}

const SERVICES = new Set(Object.values(OPERATIONS).map((operation) => operation.rpc.parent.typeName));

/** What every name says where readiness and start-up are like this; liveness is always there. */
export function expectedHealth({ ready, started }: { ready: boolean; started: boolean }): Record<string, string> {
  const of = (yes: boolean) => (yes ? 'SERVING' : 'NOT_SERVING');
  const following = ['', 'readiness', ...SERVICES].map((name) => [name, of(ready)]);
  return { ...Object.fromEntries(following), liveness: 'SERVING', startup: of(started) };
}
