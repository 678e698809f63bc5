import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codePointLength } from '../../../shared/text.ts';
import type { Logger } from '../../log.ts';
import { type ModuleOptions, PostProcessorModule } from '../../workers/post-processor/module.ts';
import type { ModuleReport } from '../../workers/post-processor/module-process.ts';
import { CHAT_NAME } from '../retrieval/chat-config.ts';

/** The modules by the names of their factories. */
export type PostProcessorFactories = ReadonlyMap<string, Pick<PostProcessorModule, 'create'>>;

export interface PostProcessorModules {
  factories: PostProcessorFactories;
  /** Ends the processes of the modules. */
  close(): Promise<void>;
}

interface LoadModulesOptions extends Pick<ModuleOptions, 'limits' | 'entry'> {
  /** The directory for relative file names, and where packages are resolved besides those of this program. */
  directory: string;
  log: Logger;
}

/** Why a module cannot be used: a sentence without a period. */
export class ModuleProblem extends Error {}

const MAX_NAME = 255;

/** Starts a process for each module, which is a file or a package. Throws `ModuleProblem` for the first that cannot be used. */
export async function loadPostProcessorModules(
  modules: readonly string[],
  options: LoadModulesOptions,
): Promise<PostProcessorModules> {
  const starting = await Promise.allSettled(modules.map((module) => started(module, options)));
  const running = starting.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const close = async () => void (await Promise.all(running.map(({ host }) => host.close())));
  try {
    for (const start of starting) if (start.status === 'rejected') throw start.reason;
    return { factories: factoriesOf(running), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Running {
  /** As given in the setting. */
  module: string;
  host: PostProcessorModule;
}

async function started(module: string, { directory, log, limits, entry }: LoadModulesOptions): Promise<Running> {
  try {
    const host = await PostProcessorModule.start({
      url: urlOf(module, directory),
      directory,
      report: reportTo(log.child({ module })),
      ...(limits === undefined ? {} : { limits }),
      ...(entry === undefined ? {} : { entry }),
    });
    return { module, host };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModuleProblem(`${module} cannot be loaded: ${reason}`, { cause: error });
  }
}

function reportTo(log: Logger): ModuleReport {
  return {
    line: (stream, text) => (stream === 'stdout' ? log.info(text) : log.warn(text)),
    fault: (err) => log.error({ err }, 'post processor module threw an error outside of any retrieval'),
    ended: (err) => log.error({ err }, 'post processor module exited and will be restarted when needed'),
  };
}

/** Of a file; the process of the module finds packages. */
function urlOf(module: string, directory: string): string {
  const file = resolve(directory, module);
  return /^\.{0,2}\//.test(module) || existsSync(file) ? pathToFileURL(file).href : module;
}

function factoriesOf(running: readonly Running[]): PostProcessorFactories {
  const factories = new Map<string, PostProcessorModule>();
  for (const { module, host } of running) {
    if (host.factories.length === 0) throw new ModuleProblem(`${module} exports neither factory nor factories`);
    for (const name of host.factories) {
      if (!isName(name)) throw new ModuleProblem(`${module} exports a factory without a name or without create()`);
      if (factories.has(name))
        throw new ModuleProblem(`${module} exports the name ${name}, which another module exports too`);
      factories.set(name, host);
    }
  }
  return factories;
}

function isName(name: string | null): name is string {
  const length = codePointLength(name ?? '');
  // A name that selects the chat post processor is reserved.
  return name !== null && length > 0 && length <= MAX_NAME && name.split('.').at(-1) !== CHAT_NAME;
}
