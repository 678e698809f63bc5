import { ServerCredentials } from '@grpc/grpc-js';
import type { TlsMaterial } from '../tls.ts';

/**
 * Credentials of a gRPC port that speaks TLS as the REST port does. Those of `ServerCredentials.createSsl` take the cipher
 * suites from a variable of the environment and the lowest version from flags of Node.js.
 */
export class TlsCredentials extends ServerCredentials {
  constructor(material: TlsMaterial) {
    super(material, material);
  }

  _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
