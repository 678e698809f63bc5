import { fileURLToPath } from 'node:url';
import type { Logger } from './log.ts';
import {
  loadPostProcessorModules,
  ModuleProblem,
  type PostProcessorModules,
} from './service/post-processors/load-modules.ts';
import { ConfigurationError } from './settings/configuration-error.ts';
import type { LoadedSettings } from './settings/load.ts';
import { problemOf } from './settings/source.ts';

/** The post processors of the settings. Throws ConfigurationError for a module that cannot be used. */
export async function loadPostProcessors({ settings, sources }: LoadedSettings): Promise<PostProcessorModules> {
  try {
    return await loadPostProcessorModules(settings.postProcessorModule, process.cwd());
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    const remedy = 'give an ES module that exports factory or factories';
    const problem = problemOf('post-processor-module', sources.postProcessorModule, { problem: error.message, remedy });
    throw new ConfigurationError([problem], { cause: error });
  }
}

/**
 * Keeps what a module drops from ending the server: a rejection that nobody handles, and an error in a callback of its
 * own. Errors of anybody else end it as before. Returns what ends the watch.
 */
export function containFaults({ urls }: PostProcessorModules, log: Logger): () => void {
  if (urls.length === 0) return () => {};
  const paths = urls.flatMap((url) => (url.startsWith('file:') ? [url, fileURLToPath(url)] : [url]));
  const onRejection = (err: unknown) => log.error({ err }, 'a rejection was handled by nobody');
  const onException = (err: unknown) => {
    const stack = err instanceof Error ? (err.stack ?? '') : '';
    if (!paths.some((path) => stack.includes(path))) {
      end();
      setImmediate(() => {
        throw err;
      });
      return;
    }
    log.error({ err }, 'a post processor module threw outside of any call');
  };
  const end = () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return end;
}
