import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { NamedOperation } from '../../shared/operations/operation.ts';
import type { CallObserver, FinishedCall, Transport } from './call-observer.ts';

/** Reports one call to the observer: each event once, and the end however the call ends. */
export class CallReport {
  readonly #observer: CallObserver;
  readonly #transport: Transport;
  readonly #operation: string;
  readonly #started = performance.now();
  #code: FinishedCall['code'] | undefined;
  #isStreaming = false;
  #hasEnded = false;

  constructor(observer: CallObserver, transport: Transport, operation: NamedOperation) {
    this.#observer = observer;
    this.#transport = transport;
    this.#operation = operation.name;
    observer.callBegun(transport);
  }

  /** Sets the code with which the call ends. The first one counts, because later failures follow from it. */
  fail(code: FinishedCall['code']): void {
    this.#code ??= code;
  }

  openStream(): void {
    if (this.#isStreaming) return;
    this.#isStreaming = true;
    this.#observer.streamOpened(this.#transport);
  }

  /** One event has been written. */
  sent(desc: DescMessage, event: Message): void {
    this.#observer.eventSent(this.#operation, memberOf(desc, event));
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isStreaming) this.#observer.streamClosed(this.#transport);
    this.#observer.callFinished({
      transport: this.#transport,
      operation: this.#operation,
      code: this.#code ?? 'OK',
      durationMs: performance.now() - this.#started,
    });
  }
}

/** The one member of an event, by its JSON name. */
function memberOf(desc: DescMessage, event: Message): string {
  const oneof = desc.oneofs[0];
  const set =
    oneof === undefined ? undefined : (event as unknown as Record<string, { case?: string }>)[oneof.localName];
  return set?.case ?? 'none';
}
