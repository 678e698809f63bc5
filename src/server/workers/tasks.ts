import { embedLexicalTask } from '../providers/builtin/embed-lexical.ts';
import { prepareContent, prepareContents } from './prepare-content.ts';
import { checkTemplate, renderTemplate } from './template/task.ts';

/**
 * The tasks of the worker threads, one row each. A task is a pure function of one structured-cloneable input;
 * typed arrays in its result are transferred to the caller without a copy.
 */
export const tasks = {
  prepareContent,
  prepareContents,
  embedLexical: embedLexicalTask,
  checkTemplate,
  renderTemplate,
};

export type TaskName = keyof typeof tasks;
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]>[0];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]>>;

export function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(tasks, name);
}
