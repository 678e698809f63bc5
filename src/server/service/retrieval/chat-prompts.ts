import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ChatConfig } from '../../../shared/operations/chat-settings.ts';
import type { CallContext } from '../../context.ts';
import type { TemplateVariables } from '../../workers/template/variables.ts';
import type { PromptTemplates } from '../templates/prompt-templates.ts';
import { invalidSetting } from './chat-config.ts';
import type { Prompts } from './summarize.ts';

/** An LLM needs both the question and the data to answer. */
const REQUIRED: readonly (keyof TemplateVariables)[] = ['userQuery', 'dataSection'];

/** The templates of the config; for an invalid one the built-in template and a status. */
export async function chatPrompts(
  templates: PromptTemplates,
  { sysPrompt, prompt }: ChatConfig,
  { signal, caller }: Pick<CallContext, 'signal' | 'caller'>,
): Promise<{ prompts: Prompts; statuses: RetrieveMemoryEvent[] }> {
  const [systemProblem, userProblem] = await Promise.all([
    sysPrompt === undefined ? undefined : templates.problem(sysPrompt, [], signal, caller?.userId),
    prompt === undefined ? undefined : templates.problem(prompt, REQUIRED, signal, caller?.userId),
  ]);
  return {
    prompts: {
      system: sysPrompt === undefined || systemProblem !== undefined ? BUILT_IN_SYSTEM_PROMPT : sysPrompt,
      user: prompt === undefined || userProblem !== undefined ? BUILT_IN_PROMPT : prompt,
    },
    statuses: [
      ...(systemProblem === undefined ? [] : [invalidSetting('sys_prompt', systemProblem)]),
      ...(userProblem === undefined ? [] : [invalidSetting('prompt', userProblem)]),
    ],
  };
}

/** The default prompts of the chat post processor. */
export const BUILT_IN_SYSTEM_PROMPT = `You answer questions from the retrieved data and from nothing else.
Keep specific details and numbers exactly as they appear. If the data does not hold the answer, say so.
Do not offer suggestions or advice. Answer in fewer than 4 sentences.`;

export const BUILT_IN_PROMPT = `{% if context is not empty %}Earlier in this conversation:
{% for turn in context %}- {{ turn }}
{% endfor %}{% endif %}Question: {{ userQuery }}

{{ dataSection }}`;
