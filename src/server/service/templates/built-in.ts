/** The prompts of the chat post processor where the caller gives none. */
export const BUILT_IN_SYSTEM_PROMPT = `You answer questions from the retrieved data and from nothing else.
Keep specific details and numbers exactly as they appear. If the data does not hold the answer, say so.
Do not offer suggestions or advice. Answer in fewer than 4 sentences.`;

export const BUILT_IN_PROMPT = `{% if context is not empty %}Earlier in this conversation:
{% for turn in context %}- {{ turn }}
{% endfor %}{% endif %}Question: {{ userQuery }}

{{ dataSection }}`;
