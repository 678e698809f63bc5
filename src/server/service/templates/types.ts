import type { TemplateVariables } from '../../workers/template/variables.ts';

/** Why a template cannot be used: a sentence for its author that quotes nothing of the server. */
export class TemplateError extends Error {
  /** `syntax`: it does not parse. `runtime`: it failed while it ran. `limit`: it wanted too much time, memory or output. */
  readonly kind: 'syntax' | 'runtime' | 'limit';

  constructor(kind: TemplateError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TemplateError';
    this.kind = kind;
  }
}

/** Pebble templates of users, which run away from the event loop with bounded memory, time and output. */
export interface PromptTemplates {
  /**
   * What keeps a template from being used: it does not parse, or uses none of a variable that it must use. Undefined:
   * nothing. Rejects only with the signal's reason. `owner`: whose template it is; owners take turns.
   */
  problem(
    template: string,
    required: readonly (keyof TemplateVariables)[],
    signal: AbortSignal,
    owner?: string,
  ): Promise<string | undefined>;
  /** The text, at most 1 MiB. Rejects with a `TemplateError`, or with the signal's reason. */
  render(template: string, variables: TemplateVariables, signal: AbortSignal, owner?: string): Promise<string>;
}
