/** Upper bounds of the histograms, in seconds. */
export const BUCKETS = {
  /** Of a call: from a look-up by key to a stream that lasts. */
  request: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  /** Of a statement, or of a stage of a retrieval, which may be one statement. */
  step: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  /** Of a provider: in the same process or across the world, up to a long reply of an LLM. */
  provider: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  /** Of an attempt: from a note to a book. */
  job: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
};
