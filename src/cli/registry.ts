import type { Command, CommandBody, CommandEntry } from './kit/command.ts';

type Listed = Omit<CommandEntry, 'load'>;

/** A command that stands alone behind `svc`. */
function lone(entry: Listed, load: () => Promise<CommandBody>): CommandEntry {
  const { name, summary } = entry;
  return { ...entry, load: async () => ({ kind: 'command', command: { ...(await load()), name, summary } }) };
}

/** A noun with its commands. */
function noun(entry: Listed, load: () => Promise<readonly Command[]>): CommandEntry {
  return { ...entry, load: async () => ({ kind: 'group', commands: await load() }) };
}

/** Everything that can stand behind `svc`, in the order of the help. */
export const ENTRIES: readonly CommandEntry[] = [
  lone({ name: 'serve', group: 'Start', summary: 'Run the server' }, async () =>
    (await import('./serve/command.ts')).serve(),
  ),
  lone(
    { name: 'init', group: 'Start', summary: 'Make the root user and its key on a new server' },
    async () => (await import('./people/init-command.ts')).init,
  ),
  noun(
    { name: 'spaces', group: 'Memories', summary: 'Make and manage spaces, which hold memories' },
    async () => (await import('./spaces/command.ts')).spaces,
  ),
  noun(
    { name: 'memories', group: 'Memories', summary: 'Store, read and delete memories' },
    async () => (await import('./memories/command.ts')).memories,
  ),
  lone(
    { name: 'sync', group: 'Memories', summary: 'Make a space follow a folder' },
    async () => (await import('./sync/command.ts')).sync,
  ),
  lone(
    { name: 'retrieve', group: 'Memories', summary: 'Find memories by meaning' },
    async () => (await import('./retrieve/command.ts')).retrieve,
  ),
  lone(
    { name: 'ask', group: 'Memories', summary: 'Answer a question from your memories' },
    async () => (await import('./retrieve/ask-command.ts')).ask,
  ),
  noun(
    { name: 'embedders', group: 'Models', summary: 'Manage the models that embed texts' },
    async () => (await import('./targets/embedders-command.ts')).embedders,
  ),
  noun(
    { name: 'llms', group: 'Models', summary: 'Manage the models that write summaries' },
    async () => (await import('./targets/llms-command.ts')).llms,
  ),
  noun(
    { name: 'rerankers', group: 'Models', summary: 'Manage the models that sort results by relevance' },
    async () => (await import('./targets/rerankers-command.ts')).rerankers,
  ),
  lone(
    { name: 'ocr', group: 'Models', summary: 'Recognize the text of a document or an image', lacking: true },
    async () => (await import('./ocr/command.ts')).ocr,
  ),
  noun(
    { name: 'users', group: 'People and keys', summary: 'Make and manage users' },
    async () => (await import('./people/users-command.ts')).users,
  ),
  noun(
    { name: 'apikeys', group: 'People and keys', summary: 'Make and manage API keys' },
    async () => (await import('./people/apikeys-command.ts')).apikeys,
  ),
  lone(
    { name: 'ping', group: 'Models', summary: 'Probe an embedder, LLM or reranker' },
    async () => (await import('./ping/command.ts')).ping,
  ),
  noun(
    { name: 'system', group: 'Server', summary: 'Look at the server' },
    async () => (await import('./system/command.ts')).system,
  ),
  lone({ name: 'health', group: 'Server', summary: 'Ask whether the server is up' }, async () =>
    (await import('./system/health-command.ts')).healthCommand('health'),
  ),
  lone(
    { name: 'eval', group: 'Memories', summary: 'Measure how well a space answers a list of questions' },
    async () => (await import('./eval/command.ts')).evaluate,
  ),
  noun(
    { name: 'admin', group: 'Server', summary: 'Drain the server, purge old jobs, reload the license' },
    async () => (await import('./admin/command.ts')).admin,
  ),
  lone(
    { name: 'config', group: 'Tools', summary: 'Show every setting and where it comes from' },
    async () => (await import('./profiles/config-command.ts')).config,
  ),
  noun(
    { name: 'profile', group: 'Tools', summary: 'Keep servers with their keys under names' },
    async () => (await import('./profiles/profile-command.ts')).profile,
  ),
  lone(
    { name: 'completion', group: 'Tools', summary: 'Print a script that completes svc in a shell' },
    async () => (await import('./completion/command.ts')).completion,
  ),
  lone({ name: 'help', group: 'Tools', summary: 'Explain a command or a topic' }, async () =>
    (await import('./help/command.ts')).help(ENTRIES),
  ),
];
