import type { Earlier } from './events.ts';

/** What makes an upload a sync: the space is to follow a folder. */
export interface Mirror {
  /** The name of the folder, in the metadata of each memory. */
  source: string;
  /** Memories of files that are gone, to be deleted. */
  gone: readonly Earlier[];
  /** Memories of files that are gone, to be left. */
  left: readonly Earlier[];
}
