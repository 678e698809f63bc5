import { ProviderError } from '../../providers/errors.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import type { OpenEmbedder } from '../targets/open-target.ts';
import type { JobDeps } from './deps.ts';
import { embedTexts } from './embed-texts.ts';

type EmbedDeps = Pick<JobDeps, 'circuits' | 'observe'>;

/** The texts of one job, for all embedders of its space. */
export interface TextsOfJob {
  job: ClaimedJob;
  texts: readonly string[];
  embedders: readonly OpenEmbedder[];
}

/** What the embedders made of the texts of each job, by job id: a job is in one of the two. */
export interface EmbeddedJobs {
  /** The vectors of its texts by the id of the embedder. */
  vectors: Map<number, Map<string, readonly Float32Array[]>>;
  /** What the job would have failed with by itself. */
  failures: Map<number, unknown>;
}

/**
 * Embeds the texts of several jobs in shared calls, one for each embedder at first. Rejects only with the reason of the
 * signal. No job suffers from another one's text:
 *
 * - An unavailable or throttling provider counts as asked by the first job; the others are held by its open circuit, or
 *   call again where their time to give up would come before it closes, as they would have done one after the other.
 * - A provider that is set up wrongly refuses every text, so all jobs have asked.
 * - Any other failure may come from a single text, or from the size of the call: it is repeated for each half of the jobs
 *   until a call has the texts of one job only.
 */
export async function embedTogether(
  deps: EmbedDeps,
  jobs: readonly TextsOfJob[],
  signal: AbortSignal,
): Promise<EmbeddedJobs> {
  const done: EmbeddedJobs = { vectors: new Map(), failures: new Map() };
  const callers = new Map<string, { embedder: OpenEmbedder; jobs: TextsOfJob[] }>();
  for (const item of jobs) {
    done.vectors.set(item.job.jobId, new Map());
    if (item.texts.length === 0 || isHeld(deps, item, item.embedders, done)) continue;
    for (const embedder of item.embedders) {
      const known = callers.get(embedder.record.id);
      if (known === undefined) callers.set(embedder.record.id, { embedder, jobs: [item] });
      else known.jobs.push(item);
    }
  }
  await Promise.all([...callers.values()].map((caller) => share(deps, caller.embedder, caller.jobs, done, signal)));
  for (const jobId of done.failures.keys()) done.vectors.delete(jobId);
  return done;
}

/** Whether one of these embedders is known to be unavailable to the job, which then fails with that. */
function isHeld(
  { circuits }: EmbedDeps,
  { job }: TextsOfJob,
  embedders: readonly OpenEmbedder[],
  { failures }: EmbeddedJobs,
): boolean {
  try {
    circuits.check(
      embedders.map(({ record }) => record),
      job,
    );
    return false;
  } catch (error) {
    failures.set(job.jobId, error);
    return true;
  }
}

async function share(
  deps: EmbedDeps,
  embedder: OpenEmbedder,
  jobs: readonly TextsOfJob[],
  done: EmbeddedJobs,
  signal: AbortSignal,
): Promise<void> {
  const again = (some: readonly TextsOfJob[]) => share(deps, embedder, some, done, signal);
  const fail = ({ job }: TextsOfJob, error: unknown) => {
    // Of several embedders the first that fails decides.
    if (!done.failures.has(job.jobId)) done.failures.set(job.jobId, error);
  };
  const [first, ...others] = jobs;
  if (first === undefined) return;
  try {
    const texts = jobs.flatMap((item) => item.texts);
    deal(jobs, embedder.record.id, await embedTexts(deps, embedder, texts, signal), done);
  } catch (error) {
    signal.throwIfAborted();
    if (others.length === 0) fail(first, error);
    else if (error instanceof ProviderError && error.away) {
      fail(first, error);
      await again(others.filter((item) => !isHeld(deps, item, [embedder], done)));
    } else if (concernsAll(error)) for (const item of jobs) fail(item, error);
    else {
      const middle = Math.ceil(jobs.length / 2);
      await Promise.all([again(jobs.slice(0, middle)), again(jobs.slice(middle))]);
    }
  }
}

/** What no text can cause: a record that cannot work as it is, or a provider that this build does not know. */
function concernsAll(error: unknown): boolean {
  return !(error instanceof ProviderError) || error.reason === 'configuration';
}

/** Gives each job the rows of its texts. */
function deal(
  jobs: readonly TextsOfJob[],
  embedderId: string,
  rows: readonly Float32Array[],
  { vectors }: EmbeddedJobs,
): void {
  let start = 0;
  for (const { job, texts } of jobs) {
    vectors.get(job.jobId)?.set(embedderId, rows.slice(start, start + texts.length));
    start += texts.length;
  }
}
