import type { Command } from '../kit/command.ts';

/** How a command is called, and how by each other name that it has. `path` is without `svc`: `spaces create`. */
export function usageOf(path: string, { name, aliases = [], args, flags }: Command): string[] {
  const rest = [...Object.values(args).map(({ term }) => term), ...(Object.keys(flags).length > 0 ? ['[flags]'] : [])];
  return [name, ...aliases].map((alias) => ['svc', path.slice(0, -name.length) + alias, ...rest].join(' '));
}
