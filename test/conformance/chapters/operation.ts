import { type Chapter, planned, shown } from '../line.ts';

const PING = 'contract/targets/ping.scenarios.ts';
const TWO_WAY = 'store/ping/ping.test.ts';
const SYSTEM = 'contract/system/system.scenarios.ts';
const DRAIN = 'faults/admin-drain.test.ts';
const START = 'faults/database-start.test.ts';
const CONFIG = 'process/serve/config.test.ts';
const METRICS = 'contract/system/metrics.test.ts';
const SETTINGS = 'unit/server/settings/load.test.ts';

export const OPERATION: Chapter = {
  title: 'Ping, system, lifecycle and metrics',
  lines: [
    shown(
      'Ping: defaults, clamps and bounds of every field, as notices or in the metadata of a single probe',
      'unit/server/service/ping/plan.test.ts: stand for everything that is left out',
      `${PING}: stream: what is too much is clamped, and said first`,
      `${PING}: once: clamps are told in the metadata, bad fields refused`,
    ),
    shown(
      'Ping: probes of all three kinds are one small real call, and a failed one is a result',
      `${PING}: LLMs and rerankers are probed by one small real call each`,
      `${PING}: once: a real probe of the embedder`,
      `${PING}: a target that nobody answers is a failed probe, not a failed call`,
    ),
    shown(
      'Ping over gRPC is paused, resumed and canceled; CANCEL ends with the summary, a second config is refused',
      'unit/server/service/ping/probe-run.test.ts: PAUSE stops starts, not results; RESUME goes on',
      'unit/server/service/ping/probe-run.test.ts: CANCEL gives up what is under way, and keeps what is finished',
      'store/ping/two-way.test.ts: starts nothing while it is paused, and goes on when it is resumed',
      'store/ping/two-way.test.ts: ends with the summary after CANCEL, without what was under way',
      'store/ping/two-way.test.ts: refuses a second config',
      'store/ping/two-way.test.ts: refuses to begin with $what',
    ),
    shown(
      'Ping: whoever leaves stops the probes',
      `${TWO_WAY}: a REST client that leaves stops the probes`,
      'store/ping/two-way.test.ts: stops when the client leaves $when',
      'wires/rest/streams.test.ts: a client that leaves a stream stops the probes',
    ),
    shown(
      'Info tells a stranger the version alone, and holders of a key what the server can do',
      `${SYSTEM}: info without a usable key is the version alone`,
      `${SYSTEM}: info with a key tells what the server can do`,
    ),
    shown(
      'Status counts what is stored, and how requests and stages went in the last minute',
      `${SYSTEM}: status counts what is stored and what is done`,
      `${SYSTEM}: status tells how requests and stages went in the last minute`,
      'unit/server/metrics/recent.test.ts: forget what is older than a minute and keep what is younger than 55 seconds',
      `${SYSTEM}: status and diagnosis are for administrators`,
    ),
    shown(
      'Diagnosis: every check finds what it is for, and nothing wrong with a sound server',
      `${SYSTEM}: diagnosis finds nothing wrong with a sound server`,
      'store/system/diagnosis.test.ts: an index that is invalid is a failure; a vector index mends itself',
      'store/system/diagnosis.test.ts: an embedder that is down is a warning, and a failure once a space has it',
      'store/system/diagnosis.test.ts: a job whose worker was lost long ago is a failure, one that waits long a warning',
      'unit/server/service/system/diagnosis.test.ts: clock skew',
      'unit/server/service/system/diagnosis.test.ts: of a file with %i days left',
      'process/serve/license.test.ts: the diagnosis sees the certificate that is in use',
    ),
    shown(
      'Drain: a repeat tells the state; its time may end first; mutating calls are UNAVAILABLE, reads and streams are served',
      `${DRAIN}: a drain with work under way: what is served, what is not, and how it ends`,
      `${DRAIN}: a drain of an idle server is over at once, and the server stays until a signal`,
      'contract/system/admin.scenarios.ts: a drain with values beyond their bounds is refused, and drains nothing',
    ),
    shown(
      'SIGTERM and SIGINT drain and end with 0, within the grace period; a second signal ends at once',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/lifecycle-drain.test.ts: what does not end within the grace period is ended',
      'faults/lifecycle-drain.test.ts: a second signal ends at once',
      'faults/lifecycle-drain.test.ts: after SIGKILL, and after a SIGINT that ends with 0, the database opens with all that was answered in it',
    ),
    shown(
      'A database that is away at the start is waited for and told at every try; what waiting does not mend ends with 78',
      `${START}: a database that is away is waited for, and told at every try`,
      `${START}: SIGTERM ends the wait`,
      `${START}: what waiting does not mend ends with 78 and a sentence`,
    ),
    shown(
      'A connection that is lost: reads and what was not committed are UNAVAILABLE, a commit in doubt is INTERNAL',
      'store/database/failure.test.ts: under a read is UNAVAILABLE',
      'store/database/failure.test.ts: before the commit is UNAVAILABLE, and nothing was done',
      'store/database/failure.test.ts: under a commit is INTERNAL: it is in doubt',
      'store/database/failure.test.ts: under a single write is in doubt as well',
    ),
    shown(
      'The schema refuses to be older than the server expects it, changed, or newer',
      'store/database/migrate.test.ts: refuses a newer schema',
      'store/database/migrate.test.ts: refuses a migration that was changed after it was applied',
      'store/database/migrate.test.ts: applies what is missing, in order, once',
    ),
    shown(
      'Metrics: every series under its name and labels, and nothing that a caller chooses becomes a label',
      `${METRICS}: every metric is there, under its name and with its labels`,
      `${METRICS}: both wires, the workers, the stages, the pools and the probes are counted`,
      `${METRICS}: nothing that a caller chooses becomes a label`,
    ),
    shown(
      'Everything that is wrong with a configuration is said at once, with flag, variable and source; 78',
      `${CONFIG}: everything that is wrong is said at once, with flag, variable and source; exit 78`,
      `${SETTINGS}: come at once, each with flag, variable and source`,
    ),
    shown(
      '--check starts nothing; --print-config shows every value with its source, and no secret',
      `${CONFIG}: --check says whether it would start, and starts nothing`,
      `${CONFIG}: --print-config shows every value and no secret`,
      'unit/server/settings/print.test.ts: names variable, source and value',
      'unit/server/settings/print.test.ts: shows no secret as %s',
    ),
    shown(
      '--embedded goes without a database URL and with none; it listens on loopback, one server a directory',
      `${SETTINGS}: does not go with --embedded: %s`,
      `${SETTINGS}: keep an embedded server on the loopback address`,
      `${CONFIG}: without a database there is nothing to serve`,
      'process/server/store/embedded/engine.test.ts: names the process that holds it, and is free after that was killed',
      `${START}: another secrets key than the one in use is refused with a sentence; the right one still works`,
    ),
    shown(
      'The embedded database comes back after SIGKILL with everything that was committed',
      'process/server/store/embedded/engine.test.ts: comes back after SIGKILL with everything that was committed',
      'faults/kill.test.ts: memories survive a server that is killed again and again',
    ),
    shown(
      'Every setting has a flag and a variable of its own; a blank variable is unset, a blank flag an error',
      `${SETTINGS}: has a variable of its own for every flag`,
      `${SETTINGS}: take a blank variable as unset and refuse a blank flag`,
      'unit/server/settings/print.test.ts: lists what the documentation lists',
    ),
    shown(
      'sslmode, sslrootcert, connectTimeout and currentSchema of a database URL are honored',
      'unit/server/settings/database-url.test.ts: reads a JDBC URL with separate credentials',
      'unit/server/settings/database-url.test.ts: %s',
      'unit/server/store/open.test.ts: one that never answers is given up after connectTimeout',
      'unit/server/store/open.test.ts: one without TLS is refused where sslmode demands it',
    ),
    shown(
      'The log is text on a terminal and JSON lines elsewhere, without secrets, ids and counts kept',
      'unit/server/log.test.ts: the format',
      'unit/server/log.test.ts: do not appear as %s, at any depth and in child loggers',
      'unit/server/log.test.ts: leave ids and counts alone',
      'wires/rest/departures.test.ts: a request is logged with its route, and without what it asks',
    ),
    planned('--db-read-url: retrievals and lists come from a replica that lags no more than a second', 'read replica'),
  ],
};
