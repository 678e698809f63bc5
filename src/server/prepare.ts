import type { Logger } from './log.ts';
import {
  loadPostProcessorModules,
  ModuleProblem,
  type PostProcessorModules,
} from './service/post-processors/load-modules.ts';
import type { LoadedSettings, ReadSettings } from './settings/load.ts';
import { type ConfigurationProblem, SettingsError } from './settings/settings-error.ts';
import { problemOf } from './settings/table.ts';
import { type ResolvedTls, resolveTls } from './transport/tls.ts';
import { loadTlsFiles } from './transport/tls-files.ts';

/** What the settings name, loaded. */
export interface Prepared {
  tls: ResolvedTls;
  /** Running, each in a process of its own. */
  postProcessors: PostProcessorModules;
}

/**
 * Loads what the settings name, when nothing is wrong with the settings themselves.
 *
 * @throws SettingsError with all that is wrong with the settings and with what they name.
 */
export async function prepare({ problems, ...loaded }: ReadSettings, log: Logger): Promise<Prepared> {
  // Modules are not run with invalid settings; files are read even so, so that all problems are reported at once.
  if (problems.length > 0) throw new SettingsError([...problems, ...(await tlsFileProblems(loaded))]);
  const [tls, postProcessors] = await Promise.allSettled([resolveTls(loaded), loadPostProcessors(loaded, log)]);
  if (tls.status === 'fulfilled' && postProcessors.status === 'fulfilled') {
    return { tls: tls.value, postProcessors: postProcessors.value };
  }
  if (postProcessors.status === 'fulfilled') await postProcessors.value.close();
  throw new SettingsError([tls, postProcessors].flatMap(problemsOf));
}

async function tlsFileProblems(loaded: LoadedSettings): Promise<readonly ConfigurationProblem[]> {
  const [files] = await Promise.allSettled([loadTlsFiles(loaded)]);
  return problemsOf(files);
}

function problemsOf(outcome: PromiseSettledResult<unknown>): readonly ConfigurationProblem[] {
  if (outcome.status === 'fulfilled') return [];
  if (outcome.reason instanceof SettingsError) return outcome.reason.problems;
  throw outcome.reason;
}

/** The post processors of the settings. Throws SettingsError for a module that cannot be used. */
async function loadPostProcessors({ settings, sources }: LoadedSettings, log: Logger): Promise<PostProcessorModules> {
  try {
    return await loadPostProcessorModules(settings.postProcessorModule, { directory: process.cwd(), log });
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    const remedy = 'give an ES module that exports factory or factories';
    const problem = problemOf('post-processor-module', sources.postProcessorModule, { problem: error.message, remedy });
    throw new SettingsError([problem], { cause: error });
  }
}
