import { Agent, type Dispatcher } from 'undici';
import type { AddressPolicy, Reach } from './addresses.ts';
import { type LookupAll, providerConnector } from './connector.ts';
import { exchange, type ProviderRequest, type ProviderResponse, type StreamedAnswer } from './http-exchange.ts';

export interface ProviderHttpOptions {
  policy: AddressPolicy;
  /** Default 1024. */
  connectionsPerOrigin?: number;
  /** Default 10,000. */
  connectTimeoutMs?: number;
  lookup?: LookupAll;
}

/**
 * Outbound HTTP, one instance for a process: connections are kept alive and bounded for each origin, certificates are
 * verified, redirects are not followed, and every call ends with its signal or its time-out.
 */
export interface ProviderHttp {
  /** Rejects with a `ProviderError` when no complete answer came, or with the signal's reason. */
  call(request: ProviderRequest): Promise<ProviderResponse>;
  /**
   * Hands an answer of any status to `read` while it arrives, and closes the connection once `read` has settled, unless
   * the answer had come to its end. Rejects like `call`, or with what `read` rejects with.
   */
  stream<T>(request: ProviderRequest, read: (answer: StreamedAnswer) => Promise<T>): Promise<T>;
  /** For calls that are passed through as they are; the address checks hold there too. */
  dispatcher(reach: Reach): Dispatcher;
  /** Ends idle connections and breaks the others. */
  close(): Promise<void>;
}

/**
 * A host is called for many targets of many users, and the calls of each target have a bound of their own. This bound
 * only prevents running out of sockets: with a low one, a target of one user that does not answer would block the
 * targets of all other users on that host.
 */
const CONNECTIONS_PER_ORIGIN = 1024;

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  // Connections are kept alive and shared, so targets of different reach must not share them: one agent for each reach.
  const agents: Record<Reach, Agent> = { any: agentOf(options, 'any'), public: agentOf(options, 'public') };
  return {
    call: (request) => exchange(agents[request.reach], request, { idle: false }, (answer) => answer.whole()),
    stream: (request, read) => exchange(agents[request.reach], request, { idle: true }, read),
    dispatcher: (reach) => agents[reach],
    close: async () => {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

function agentOf({ policy, connectionsPerOrigin, connectTimeoutMs, lookup }: ProviderHttpOptions, reach: Reach): Agent {
  return new Agent({
    connections: connectionsPerOrigin ?? CONNECTIONS_PER_ORIGIN,
    connect: providerConnector({ policy, reach, connectTimeoutMs: connectTimeoutMs ?? 10_000, lookup }),
    // Queries come in bursts; undici's 4 s would pay for a new TLS handshake in most pauses.
    keepAliveTimeout: 30_000,
    // The timer of the call bounds headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
