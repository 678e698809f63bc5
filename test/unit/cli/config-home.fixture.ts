import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

/** A folder for config files, removed after the test. */
export interface ConfigHome {
  env: { XDG_CONFIG_HOME: string };
  /** The config file. */
  path: string;
  /** Writes the file as it is given, in the mode that `svc` gives it. */
  write(content: object | string, mode?: number): Promise<void>;
  read(): Promise<unknown>;
}

export function useConfigHomes(): () => Promise<ConfigHome> {
  const made: string[] = [];
  afterEach(async () => {
    for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
    made.push(folder);
    const path = join(folder, 'svc', 'config.json');
    return {
      env: { XDG_CONFIG_HOME: folder },
      path,
      write: async (content, mode = 0o600) => {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });
      },
      read: async () => JSON.parse(await readFile(path, 'utf8')),
    };
  };
}
