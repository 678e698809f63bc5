import { isObject } from '../../../shared/json/is-object.ts';
import type { Loaded } from './protocol.ts';
import { reportable } from './reportable.ts';
import type { PostProcessorFactory } from './types.ts';

export interface LoadedModule {
  /** By name; what is no factory is missing. */
  factories: ReadonlyMap<string, PostProcessorFactory>;
  report: Loaded;
}

/** Loads the module of an URL into this process. */
export async function loadModule(url: string): Promise<LoadedModule> {
  try {
    const { factory, factories }: Record<string, unknown> = await import(url);
    const exported: unknown[] = [
      ...(Array.isArray(factories) ? factories : []),
      ...(factory === undefined ? [] : [factory]),
    ];
    const usable = exported.map((candidate) => (isFactory(candidate) ? candidate : undefined));
    return {
      factories: new Map(usable.flatMap((found) => (found === undefined ? [] : [[found.name, found]]))),
      report: { kind: 'loaded', factories: usable.map((found) => found?.name ?? null) },
    };
  } catch (error) {
    const problem = reportable(error).message;
    return { factories: new Map(), report: { kind: 'unusable', problem } };
  }
}

function isFactory(value: unknown): value is PostProcessorFactory {
  return isObject(value) && typeof value.name === 'string' && typeof value.create === 'function';
}
