/** What the worker thread of the embedded engine is started with. */
export interface WorkerInput {
  /** The folder of the PostgreSQL cluster inside the data directory. */
  readonly clusterDirectory: string;
  readonly socketPath: string;
}

export type ToWorker = { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };
