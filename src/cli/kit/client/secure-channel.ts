import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import { certificateSha256Of } from './probe.ts';
import type { Rung } from './tls-ladder.ts';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/**
 * Credentials of a channel that hold every connection of it to the rung that was chosen, also when the server behind the
 * address has become another one since. grpc-js leaves that to Node, which does not check a certificate that need not
 * be verified. So the handshake is made here, and grpc-js gets the connection when the certificate is the right one.
 */
export class RungCredentials extends ChannelCredentials {
  readonly #host: string;
  readonly #rung: Exclude<Rung, { kind: 'plaintext' }>;
  // Made here and not by grpc-js, which would take other authorities (GRPC_DEFAULT_SSL_ROOTS_FILE_PATH) than the
  // handshake that decided about the rung.
  readonly #context: SecureContext = createSecureContext();

  constructor(host: string, rung: Exclude<Rung, { kind: 'plaintext' }>) {
    super();
    this.#host = host;
    this.#rung = rung;
  }

  _isSecure(): boolean {
    return true;
  }

  // Never equal to another, so that no connection is shared with a channel of another rung.
  _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  _createSecureConnector(_target: unknown, _options: unknown, callCredentials?: CallCredentials): SecureConnector {
    return {
      connect: async (socket) => ({ socket: await this.#secure(socket), secure: true }),
      waitForReady: async () => {},
      getCallCredentials: () => callCredentials ?? CallCredentials.createEmpty(),
      destroy: () => {},
    };
  }

  #secure(socket: Socket): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const secured = connect({
        socket,
        host: this.#host,
        // A server name must not be an IP address; verification then falls back to the host.
        ...(isIP(this.#host) === 0 ? { servername: this.#host } : {}),
        secureContext: this.#context,
        ALPNProtocols: ['h2'],
        rejectUnauthorized: this.#rung.kind === 'verified',
      });
      secured.on('error', reject);
      secured.once('close', () => reject(new Error('it closed the connection during the TLS handshake')));
      secured.once('secureConnect', () => {
        const problem = this.#problemOf(secured);
        if (problem === undefined) return resolve(secured);
        secured.destroy();
        reject(new Error(problem));
      });
    });
  }

  #problemOf(secured: TLSSocket): string | undefined {
    if (this.#rung.kind === 'verified') return secured.authorized ? undefined : 'its certificate is not verified';
    const { certificateSha256 } = this.#rung;
    if (certificateSha256 === undefined || certificateSha256Of(secured) === certificateSha256) return undefined;
    return 'it shows another certificate than a moment ago; if the server was restarted, run the command again';
  }
}
