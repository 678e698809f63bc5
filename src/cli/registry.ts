import type { CommandEntry, CommandModule } from './kit/command.ts';

/** Everything that can stand behind `svc`, in the order of the help. */
export const ENTRIES: readonly CommandEntry[] = [
  {
    name: 'serve',
    group: 'Start',
    summary: 'Run the server',
    load: async (): Promise<CommandModule> => ({
      kind: 'command',
      command: (await import('./serve/command.ts')).serve(),
    }),
  },
  {
    name: 'init',
    group: 'Start',
    summary: 'Make the root user and its key on a new server',
    load: async () => ({ kind: 'command', command: (await import('./people/init-command.ts')).init }),
  },
  {
    name: 'spaces',
    group: 'Memories',
    summary: 'Make and manage spaces, which hold memories',
    load: async () => ({ kind: 'group', commands: (await import('./spaces/command.ts')).spaces }),
  },
  {
    name: 'memories',
    group: 'Memories',
    summary: 'Store, read and delete memories',
    load: async () => ({ kind: 'group', commands: (await import('./memories/command.ts')).memories }),
  },
  {
    name: 'sync',
    group: 'Memories',
    summary: 'Make a space follow a folder',
    load: async () => ({ kind: 'command', command: (await import('./sync/command.ts')).sync }),
  },
  {
    name: 'retrieve',
    group: 'Memories',
    summary: 'Find memories by meaning',
    load: async () => ({ kind: 'command', command: (await import('./retrieve/command.ts')).retrieve }),
  },
  {
    name: 'ask',
    group: 'Memories',
    summary: 'Answer a question from your memories',
    load: async () => ({ kind: 'command', command: (await import('./retrieve/ask-command.ts')).ask }),
  },
  {
    name: 'embedders',
    group: 'Models',
    summary: 'Manage the models that embed texts',
    load: async () => ({ kind: 'group', commands: (await import('./targets/embedders-command.ts')).embedders }),
  },
  {
    name: 'llms',
    group: 'Models',
    summary: 'Manage the models that write summaries',
    load: async () => ({ kind: 'group', commands: (await import('./targets/llms-command.ts')).llms }),
  },
  {
    name: 'rerankers',
    group: 'Models',
    summary: 'Manage the models that sort results by relevance',
    load: async () => ({ kind: 'group', commands: (await import('./targets/rerankers-command.ts')).rerankers }),
  },
  {
    name: 'ocr',
    group: 'Models',
    summary: 'Recognize the text of a document or an image',
    lacking: true,
    load: async () => ({ kind: 'command', command: (await import('./ocr/command.ts')).ocr }),
  },
  {
    name: 'users',
    group: 'People and keys',
    summary: 'Make and manage users',
    load: async () => ({ kind: 'group', commands: (await import('./people/users-command.ts')).users }),
  },
  {
    name: 'apikeys',
    group: 'People and keys',
    summary: 'Make and manage API keys',
    load: async () => ({ kind: 'group', commands: (await import('./people/apikeys-command.ts')).apikeys }),
  },
  {
    name: 'ping',
    group: 'Models',
    summary: 'Probe an embedder, LLM or reranker',
    load: async () => ({ kind: 'command', command: (await import('./ping/command.ts')).ping }),
  },
  {
    name: 'system',
    group: 'Server',
    summary: 'Look at the server',
    load: async () => ({ kind: 'group', commands: (await import('./system/command.ts')).system }),
  },
  {
    name: 'health',
    group: 'Server',
    summary: 'Ask whether the server is up',
    load: async () => ({
      kind: 'command',
      command: (await import('./system/health-command.ts')).healthCommand('health'),
    }),
  },
  {
    name: 'eval',
    group: 'Memories',
    summary: 'Measure how well a space answers a list of questions',
    load: async () => ({ kind: 'command', command: (await import('./eval/command.ts')).evaluate }),
  },
  {
    name: 'admin',
    group: 'Server',
    summary: 'Drain the server, purge old jobs, reload the license',
    load: async () => ({ kind: 'group', commands: (await import('./admin/command.ts')).admin }),
  },
  {
    name: 'config',
    group: 'Tools',
    summary: 'Show every setting and where it comes from',
    load: async () => ({ kind: 'command', command: (await import('./profiles/config-command.ts')).config }),
  },
  {
    name: 'profile',
    group: 'Tools',
    summary: 'Keep servers with their keys under names',
    load: async () => ({ kind: 'group', commands: (await import('./profiles/profile-command.ts')).profile }),
  },
  {
    name: 'completion',
    group: 'Tools',
    summary: 'Print a script that completes svc in a shell',
    load: async () => ({ kind: 'command', command: (await import('./completion/command.ts')).completion }),
  },
  {
    name: 'help',
    group: 'Tools',
    summary: 'Explain a command or a topic',
    load: async (): Promise<CommandModule> => ({
      kind: 'command',
      command: (await import('./help/command.ts')).help(ENTRIES),
    }),
  },
];
