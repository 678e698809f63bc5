import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';

/** What came back, headers and trailers together. */
interface RawAnswer {
  status: number;
  message: string;
  headers: IncomingHttpHeaders;
  /** The messages of the answer, with their prefixes. */
  content: Buffer;
}

/** gRPC without a library, for what a library would not send. */
export class RawGrpc {
  readonly #session: ClientHttp2Session;

  /** `address` is `http://host:port`. */
  constructor(address: string) {
    // In MB; more than this would not be sent.
    this.#session = connect(address, { maxSessionMemory: 4096 });
    this.#session.on('error', () => undefined);
  }

  /** Sends bytes as they are; resolves when the call is over, whether or not all of them could be sent. */
  async call(path: string, bytes: readonly Uint8Array[], headers: Record<string, string> = {}): Promise<RawAnswer> {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    const answer: RawAnswer = { status: -1, message: '', headers: {}, content: Buffer.alloc(0) };
    const take = (received: IncomingHttpHeaders) => {
      Object.assign(answer.headers, received);
      if (received['grpc-status'] === undefined) return;
      answer.status = Number(received['grpc-status']);
      answer.message = decodeURI(String(received['grpc-message'] ?? ''));
    };
    stream.on('response', take).on('trailers', take);
    stream.on('data', (piece: Buffer) => (answer.content = Buffer.concat([answer.content, piece])));
    stream.on('error', () => undefined);
    const over = new Promise<void>((resolve) => {
      stream.once('end', resolve);
      stream.once('close', resolve);
    });
    for (const piece of bytes) stream.write(piece);
    stream.end();
    await over;
    stream.close();
    return answer;
  }

  close(): void {
    this.#session.destroy();
  }
}

/** A message with its prefix. `length` is what the prefix says of it. */
export function framed(content: Uint8Array, { isPacked = false, length = content.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(isPacked ? 1 : 0, 0);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, content]);
}
