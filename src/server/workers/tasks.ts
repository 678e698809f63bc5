import { embedLexicalTask } from '../providers/builtin/embed-lexical.ts';
import { prepare } from './prepare.ts';
import { checkTemplate, renderTemplate } from './template/task.ts';

/**
 * Everything a worker thread can do, one row a task. A task is a pure function of one structured-cloneable input;
 * typed arrays in its result move to the caller without a copy.
 */
export const tasks = {
  prepare,
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
