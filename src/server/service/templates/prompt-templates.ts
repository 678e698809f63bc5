import { WorkerOutOfMemory, WorkerTimeout } from '../../workers/errors.ts';
import type { TaskOptions, WorkerPool } from '../../workers/pool.ts';
import type { TemplateOutcome } from '../../workers/template/task.ts';
import type { TemplateVariables } from '../../workers/template/variables.ts';

/** Why a template cannot be used: a sentence for its author that contains nothing of the server. */
export class TemplateError extends Error {
  /** `syntax`: it does not parse. `runtime`: it failed while it ran. `limit`: it exceeded a limit of time, memory or output. */
  readonly kind: 'syntax' | 'runtime' | 'limit';

  constructor(kind: TemplateError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TemplateError';
    this.kind = kind;
  }
}

/** Pebble templates of users, which run in worker threads with limited memory, time and output. */
export interface PromptTemplates {
  /**
   * Why a template is invalid: it does not parse, or does not use a required variable. Undefined when it is valid. Rejects
   * only with the reason of the signal. `owner` is the user whose template it is; owners take turns.
   */
  problem(
    template: string,
    required: readonly (keyof TemplateVariables)[],
    signal: AbortSignal,
    owner?: string,
  ): Promise<string | undefined>;
  /** Renders a template to at most 1 MiB. Rejects with a `TemplateError`, or with the reason of the signal. */
  render(template: string, variables: TemplateVariables, signal: AbortSignal, owner?: string): Promise<string>;
}

interface PromptTemplatesOptions {
  /** Timeout of one template in milliseconds, not including the wait for a thread. */
  timeoutMs?: number;
}

/** The counted limits end every template we know of in a fraction of this. */
const TIMEOUT_MS = 2_000;

/**
 * Runs templates on a thread pool of their own: a template that exceeds its timeout or memory terminates its thread, which
 * must not be shared with ingestion. A heap of 128 MiB per thread is enough for every template within its limits.
 */
export function createPromptTemplates(pool: WorkerPool, options: PromptTemplatesOptions = {}): PromptTemplates {
  const { timeoutMs = TIMEOUT_MS } = options;

  async function outcome(work: (options: TaskOptions) => Promise<TemplateOutcome>, signal: AbortSignal, owner: string) {
    try {
      return await work({ signal, timeoutMs, owner });
    } catch (error) {
      signal.throwIfAborted();
      throw asTemplateError(error);
    }
  }

  return {
    async problem(template, required, signal, owner = '') {
      try {
        const checked = await outcome((run) => pool.run('checkTemplate', { template, required }, run), signal, owner);
        return checked.ok ? undefined : checked.message;
      } catch (error) {
        if (error instanceof TemplateError) return error.message;
        throw error;
      }
    },
    async render(template, variables, signal, owner = '') {
      const rendered = await outcome((run) => pool.run('renderTemplate', { template, variables }, run), signal, owner);
      if (rendered.ok) return rendered.text;
      throw new TemplateError(rendered.kind, rendered.message);
    },
  };
}

function asTemplateError(cause: unknown): TemplateError {
  if (cause instanceof WorkerTimeout) return new TemplateError('limit', 'The template takes too long', { cause });
  if (cause instanceof WorkerOutOfMemory) {
    return new TemplateError('limit', 'The template needs too much memory', { cause });
  }
  return new TemplateError('runtime', 'The template could not be run', { cause });
}
