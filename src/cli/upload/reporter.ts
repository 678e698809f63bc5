import type { Io } from '../kit/output/io.ts';
import type { UploadEvent } from './events.ts';
import type { Ending } from './summary.ts';
import type { FileFailure, Tally } from './tally.ts';

/** Tells how an upload goes. What it says rests on the tally, which has counted each event before it comes here. */
export interface Reporter {
  /** `failure` is the one that the event tells of. */
  event(event: UploadEvent, failure: FileFailure | undefined): Promise<void>;
  /** Called once, also after a failure and after Ctrl-C. */
  end(ending: Ending): Promise<void>;
}

export interface ReporterOptions {
  io: Io;
  tally: Tally;
  /** Name or id of the space, as it was given. */
  space: string;
  /** The end of processing will be waited for. */
  waits: boolean;
  /** A folder is mirrored: only changes are told. */
  isSync: boolean;
  /** Calls are traced on stderr, which a screen would wipe away. */
  debug: boolean;
}
