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
  /** The command's own signal does not end this call: whoever makes it sees to its end with `signal`. */
  outlives?: boolean;
}

/** Both directions of a stream. Leaving the events before their end cancels the call. */
export interface Duplex<I extends DescMessage, O extends DescMessage> {
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
