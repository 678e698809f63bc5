/** What a stand-in does with one request instead of answering it properly. */
export type Behavior =
  /** Answers properly after a while. */
  | { kind: 'slow'; ms: number }
  /** Answers properly once the promise resolves. */
  | { kind: 'held'; until: Promise<unknown> }
  /** Never answers. */
  | { kind: 'hang' }
  /** Sends headers and the first half of the answer, then nothing. */
  | { kind: 'stall' }
  /** Streams the first half of the answer, and the rest once the promise resolves. */
  | { kind: 'pause'; until: Promise<unknown> }
  /** Sends a stream of comments that never ends. */
  | { kind: 'trickle' }
  /** Answers with this status; without a body in the provider's own words. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** Breaks the connection before any answer. */
  | { kind: 'drop' }
  /** Breaks the connection in the middle of the answer. */
  | { kind: 'truncate' }
  /** Answers 200 with this text, JSON unless another type is given. */
  | { kind: 'text'; body: string; contentType?: string }
  /** Leaves out the last vector or score. */
  | { kind: 'too_few' }
  /** Vectors with one value more. */
  | { kind: 'wrong_length' }
  /** Vectors that hold this in every place, or scores that are this. */
  | { kind: 'values'; value: unknown };
