import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';

export interface CallOptions {
  /** Ends the call besides the command's own signal. */
  signal?: AbortSignal;
  /** Milliseconds that the call may take in all; each kind of call has its default. */
  timeoutMs?: number;
  metadata?: Readonly<Record<string, string>>;
  /** The command's own signal does not end this call: the caller ends it with `signal`. */
  outlives?: boolean;
}

/** Both directions of a stream. Leaving the events before their end cancels the call. */
interface Duplex<I extends DescMessage, O extends DescMessage> {
  send(message: MessageInitShape<I>): void;
  /** Nothing more will be sent. */
  end(): void;
  readonly events: AsyncIterable<MessageShape<O>>;
}

/** Calls by descriptor. Failures are `ServiceError`s; an aborted call throws the signal's reason. */
export interface Client {
  /** `host:port`, for messages. */
  readonly authority: string;
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    options?: CallOptions,
  ): Promise<MessageShape<O>>;
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    options?: CallOptions,
  ): AsyncIterable<MessageShape<O>>;
  duplex<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    options?: CallOptions,
  ): Duplex<I, O>;
  close(): void;
}

interface ListPage<T> {
  items: readonly T[];
  nextToken: string | undefined;
}

/** Gets how many items are still wanted and the token of the page. */
export type FetchPage<T> = (wanted: number, nextToken: string | undefined) => Promise<ListPage<T>>;

/** The items of all pages, at most `limit`; `onCut` is called at the end when there are more. */
export async function* pages<T>(fetch: FetchPage<T>, limit: number, onCut: () => void = () => {}): AsyncGenerator<T> {
  let left = limit;
  let token: string | undefined;
  while (left > 0) {
    const { items, nextToken } = await fetch(left, token);
    yield* items.slice(0, left);
    left -= items.length;
    if (nextToken === undefined) return;
    token = nextToken;
  }
  onCut();
}

const ESCAPES: Readonly<Record<string, string>> = { "'": "''", '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as a filter writes it: `'it''s'`. */
export function filterLiteral(text: string): string {
  return `'${text.replace(/['\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}'`;
}
