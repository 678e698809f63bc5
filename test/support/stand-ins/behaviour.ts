/** What a stand-in does with one request instead of answering it properly. */
export type Behaviour =
  /** Answers properly after a while. */
  | { kind: 'slow'; ms: number }
  /** Never answers. */
  | { kind: 'hang' }
  /** Sends headers and the first half of the answer, then nothing. */
  | { kind: 'stall' }
  /** Answers with this status. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** Breaks the connection before any answer. */
  | { kind: 'drop' }
  /** Breaks the connection in the middle of the answer. */
  | { kind: 'truncate' }
  /** Answers 200 with this text. */
  | { kind: 'text'; body: string }
  /** Leaves out the last vector. */
  | { kind: 'too_few' }
  /** Vectors with one value more. */
  | { kind: 'wrong_length' }
  /** Vectors that hold this in every place. */
  | { kind: 'values'; value: unknown };
