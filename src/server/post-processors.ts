import type { Logger } from './log.ts';
import {
  loadPostProcessorModules,
  ModuleProblem,
  type PostProcessorModules,
} from './service/post-processors/load-modules.ts';
import { ConfigurationError } from './settings/configuration-error.ts';
import type { LoadedSettings } from './settings/load.ts';
import { problemOf } from './settings/table.ts';

/** The post processors of the settings. Throws ConfigurationError for a module that cannot be used. */
export async function loadPostProcessors(
  { settings, sources }: LoadedSettings,
  log: Logger,
): Promise<PostProcessorModules> {
  try {
    return await loadPostProcessorModules(settings.postProcessorModule, { directory: process.cwd(), log });
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    const remedy = 'give an ES module that exports factory or factories';
    const problem = problemOf('post-processor-module', sources.postProcessorModule, { problem: error.message, remedy });
    throw new ConfigurationError([problem], { cause: error });
  }
}
