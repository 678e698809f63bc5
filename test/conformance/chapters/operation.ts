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
      'unit/server/service/ping/plan.test.ts: apply to omitted fields',
      `${PING}: stream: excessive values are clamped, with a notice first`,
      `${PING}: once: clamps are reported in the metadata, invalid fields refused`,
    ),
    shown(
      'Ping: probes of all three kinds are one small real call, and a failed one is a result',
      `${PING}: LLMs and rerankers are probed by one small real call each`,
      `${PING}: once: a real probe of the embedder`,
      `${PING}: an unreachable target is a failed probe, not a failed call`,
    ),
    shown(
      'Ping over gRPC is paused, resumed and canceled; CANCEL ends with the summary, a second config is refused',
      'unit/server/service/ping/probe-run.test.ts: PAUSE stops starts, not results; RESUME goes on',
      'unit/server/service/ping/probe-run.test.ts: CANCEL aborts probes in flight, and keeps finished ones',
      'store/ping/two-way.test.ts: starts no probe while paused, and continues when resumed',
      'store/ping/two-way.test.ts: ends with the summary after CANCEL, without the probes in flight',
      'store/ping/two-way.test.ts: refuses a second config',
      'store/ping/two-way.test.ts: refuses to begin with $what',
    ),
    shown(
      'Ping: a client abort stops the probes',
      `${TWO_WAY}: a client abort over REST stops the probes`,
      'store/ping/two-way.test.ts: stops when the client aborts $when',
      'wires/rest/streams.test.ts: a client abort of a stream stops the probes',
    ),
    shown(
      'Info without a key is the version alone, with one the features of the server',
      `${SYSTEM}: info without a usable key is the version alone`,
      `${SYSTEM}: info with a key lists the features of the server`,
    ),
    shown(
      'Status counts records and jobs, and reports requests and stages of the last minute',
      `${SYSTEM}: status counts records and jobs`,
      `${SYSTEM}: status reports requests and stages of the last minute`,
      'unit/server/metrics/recent.test.ts: forget what is older than a minute and keep what is younger than 55 seconds',
      `${SYSTEM}: status and diagnosis are for administrators`,
    ),
    shown(
      'Diagnosis: every check detects its fault, and a healthy server is OK throughout',
      `${SYSTEM}: diagnosis of a healthy server is OK throughout`,
      'store/system/diagnosis.test.ts: an invalid index is a failure; a vector index is rebuilt',
      'store/system/diagnosis.test.ts: an embedder that is down is a warning, and a failure once a space has it',
      'store/system/diagnosis.test.ts: a job whose worker was lost long ago is a failure, one that waits long a warning',
      'unit/server/service/system/diagnosis/findings.test.ts: clock skew',
      'unit/server/service/system/diagnosis/findings.test.ts: of a file with %i days left',
      'process/serve/license.test.ts: the diagnosis sees the certificate that is in use',
    ),
    shown(
      'Drain: a second call reports the state; it may time out; mutating calls are UNAVAILABLE, reads and streams are served',
      `${DRAIN}: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout`,
      `${DRAIN}: a drain of an idle server ends at once, and the server runs until a signal`,
      'contract/system/admin.scenarios.ts: a drain with values beyond their bounds is refused, and drains nothing',
    ),
    shown(
      'SIGTERM and SIGINT drain and exit with 0, within the grace period; a second signal exits at once',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/lifecycle-drain.test.ts: calls that outlast the grace period are aborted',
      'faults/lifecycle-drain.test.ts: a second signal exits at once',
      'faults/lifecycle-drain.test.ts: after SIGKILL, and after a SIGINT that exits with 0, the database holds every acknowledged write',
    ),
    shown(
      'An unavailable database is waited for at the start, with a log line at every attempt; permanent faults exit with 78',
      `${START}: an unavailable database is waited for, with a log line at every attempt`,
      `${START}: SIGTERM ends the wait`,
      `${START}: permanent faults end with 78 and a sentence`,
    ),
    shown(
      'A lost connection: reads and uncommitted writes are UNAVAILABLE, a commit in doubt is INTERNAL',
      'store/database/failure.test.ts: under a read is UNAVAILABLE',
      'store/database/failure.test.ts: before the commit is UNAVAILABLE, and nothing was done',
      'store/database/failure.test.ts: under a commit is INTERNAL: it is in doubt',
      'store/database/failure.test.ts: under a single write is in doubt as well',
    ),
    shown(
      'A schema with changed migrations or newer than the server is refused',
      'store/database/migrate.test.ts: refuses a newer schema',
      'store/database/migrate.test.ts: refuses a migration that was changed after it was applied',
      'store/database/migrate.test.ts: applies what is missing, in order, once',
    ),
    shown(
      'Metrics: every series with its name and labels, and no input of a caller becomes a label',
      `${METRICS}: every metric is there, under its name and with its labels`,
      `${METRICS}: both wires, the workers, the stages, the pools and the probes are counted`,
      `${METRICS}: no input of a caller becomes a label`,
    ),
    shown(
      'All configuration errors are reported at once, with flag, variable and source; 78',
      `${CONFIG}: all configuration errors are reported at once, with flag, variable and source; exit 78`,
      `${SETTINGS}: are reported at once, each with flag, variable and source`,
    ),
    shown(
      '--check starts nothing; --print-config shows every value with its source, and no secret',
      `${CONFIG}: --check validates the configuration and starts nothing`,
      `${CONFIG}: --print-config shows every value and no secret`,
      'unit/server/settings/print.test.ts: names variable, source and value',
      'unit/server/settings/print.test.ts: shows no secret as %s',
    ),
    shown(
      '--embedded excludes a database URL; it listens on loopback, one server per directory',
      `${SETTINGS}: does not go with --embedded: %s`,
      `${SETTINGS}: keep an embedded server on the loopback address`,
      `${CONFIG}: a database is required`,
      'process/server/store/embedded/engine.test.ts: names the process that holds it, and is free after that process was killed',
      `${START}: another secrets key than the one in use is refused with a sentence; the right one still works`,
    ),
    shown(
      'The embedded database comes back after SIGKILL with everything that was committed',
      'process/server/store/embedded/engine.test.ts: comes back after SIGKILL with everything that was committed',
      'faults/kill.test.ts: accepted memories survive repeated SIGKILL',
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
      'unit/server/store/open.test.ts: one that never answers times out after connectTimeout',
      'unit/server/store/open.test.ts: one without TLS is refused where sslmode demands it',
    ),
    shown(
      'The log is text on a terminal and JSON lines elsewhere, without secrets, with ids and counts',
      'unit/server/log.test.ts: the format',
      'unit/server/log.test.ts: do not appear as %s, at any depth and in child loggers',
      'unit/server/log.test.ts: leave ids and counts alone',
      'wires/rest/departures.test.ts: a request is logged with its route, and without its body and query',
    ),
    planned('--db-read-url: retrievals and lists come from a replica that lags no more than a second', 'read replica'),
  ],
};
