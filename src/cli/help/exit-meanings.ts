import { EXIT } from '../kit/errors.ts';

/** When a command ends with each code, besides for the error codes of the service that stand for it. */
export const EXIT_MEANINGS: readonly { readonly exit: number; readonly when: string }[] = [
  { exit: 0, when: 'success, also for an empty list and when the reader of a pipe went away' },
  { exit: EXIT.failed, when: 'no probe succeeded, a check of the diagnosis failed, anything without a better code' },
  { exit: EXIT.usage, when: 'wrong flags or arguments' },
  { exit: EXIT.badInput, when: 'input that the service does not accept; a file to write that exists already' },
  { exit: EXIT.noInput, when: 'no such input file' },
  { exit: EXIT.unavailable, when: 'no connection, or none that is allowed; the server is not ready' },
  { exit: EXIT.bug, when: 'a bug in svc itself' },
  { exit: EXIT.output, when: 'the output cannot be written: a full disk, a folder that does not exist' },
  { exit: EXIT.tryLater, when: 'try again later' },
  { exit: EXIT.partial, when: 'a stream ended before its last event; what was printed may be incomplete' },
  { exit: EXIT.denied, when: 'a key is missing, wrong or not allowed to do this' },
  {
    exit: EXIT.configuration,
    when: 'a wrong configuration or profile, also a key that belongs to another server; the server refuses to start',
  },
  { exit: EXIT.interrupted, when: 'ended by Ctrl-C (SIGINT)' },
  { exit: EXIT.terminated, when: 'ended by SIGTERM' },
];
