import { WorkerOutOfMemory, WorkerTimeout } from '../../workers/errors.ts';
import type { TaskOptions, WorkerPool } from '../../workers/pool.ts';
import type { TemplateOutcome } from '../../workers/template/task.ts';
import { type PromptTemplates, TemplateError } from './types.ts';

export interface PromptTemplatesOptions {
  /** Bound of one template in milliseconds, once it has a thread. */
  timeoutMs?: number;
}

/** Counted limits end every template known to us in a fraction of this. */
const TIMEOUT_MS = 2_000;

/**
 * Templates on a pool of their own: one that uses up its deadline or memory costs its thread, and must not take that
 * of an ingestion. Threads of 128 MiB of heap are enough for every template within its limits.
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
