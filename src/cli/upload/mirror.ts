import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Earlier } from './events.ts';

/** What a space has of a folder, for a run that makes it follow the folder. */
export interface Mirror {
  /** The name of the folder, in the metadata of each memory. */
  source: string;
  /** The memory that has this content under this path already. */
  find(path: string, content: Uint8Array): Memory | undefined;
  /** All other memories of the paths of a run, which these ids take the place of. */
  earlierThan(present: ReadonlyMap<string, ReadonlySet<string>>): Earlier[];
  /** Memories of files that are gone, to be deleted. */
  gone: readonly Earlier[];
  /** Memories of files that are gone, to be left. */
  left: readonly Earlier[];
}
