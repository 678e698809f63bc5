import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../../shared/json/is-object.ts';
import { codePointLength } from '../../../shared/text.ts';
import { CHAT_NAME } from '../retrieval/chat-config.ts';
import type { PostProcessorFactory } from './types.ts';

/** Factories by their names. */
export type PostProcessorFactories = ReadonlyMap<string, PostProcessorFactory>;

export interface PostProcessorModules {
  factories: PostProcessorFactories;
  /** Where they were loaded from. */
  urls: readonly string[];
}

/** Why a module cannot be used: a sentence without its full stop. */
export class ModuleProblem extends Error {}

/** A module that has not loaded by then waits for something that never comes. */
const LOAD_TIMEOUT_MS = 30_000;
const MAX_NAME = 255;

/**
 * Loads the modules, each a file (relative to `directory`) or a package (installed beside this program, or in
 * `directory`). Throws `ModuleProblem`.
 */
export async function loadPostProcessorModules(
  modules: readonly string[],
  directory: string,
): Promise<PostProcessorModules> {
  const factories = new Map<string, PostProcessorFactory>();
  const urls: string[] = [];
  for (const module of modules) {
    const { url, exported } = await imported(module, directory);
    urls.push(url);
    for (const factory of factoriesIn(exported, module)) {
      if (factories.has(factory.name)) throw new ModuleProblem(`${module} is the second to name ${factory.name}`);
      factories.set(factory.name, factory);
    }
  }
  return { factories, urls };
}

interface Imported {
  url: string;
  exported: Record<string, unknown>;
}

async function imported(module: string, directory: string): Promise<Imported> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const problem = new Error(`it did not load within ${LOAD_TIMEOUT_MS / 1000} s`);
    timer = setTimeout(() => reject(problem), LOAD_TIMEOUT_MS);
  });
  try {
    const url = urlOf(module, directory);
    return { url, exported: await Promise.race([import(url), late]) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModuleProblem(`${module} does not load: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Throws for a package that is not installed. */
function urlOf(module: string, directory: string): string {
  const file = resolve(directory, module);
  if (/^\.{0,2}\//.test(module) || existsSync(file)) return pathToFileURL(file).href;
  try {
    return import.meta.resolve(module);
  } catch (error) {
    if (!isObject(error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return pathToFileURL(createRequire(`${directory}/`).resolve(module)).href;
  }
}

function factoriesIn(exported: Record<string, unknown>, module: string): PostProcessorFactory[] {
  const { factory, factories } = exported;
  const found: unknown[] = [
    ...(Array.isArray(factories) ? factories : []),
    ...(factory === undefined ? [] : [factory]),
  ];
  if (found.length === 0) throw new ModuleProblem(`${module} exports neither factory nor factories`);
  return found.map((candidate) => {
    if (isFactory(candidate)) return candidate;
    throw new ModuleProblem(`${module} exports a factory without a name or without create()`);
  });
}

function isFactory(value: unknown): value is PostProcessorFactory {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.create !== 'function') return false;
  const length = codePointLength(value.name);
  // A name that means the chat post processor could never be reached.
  return length > 0 && length <= MAX_NAME && value.name.split('.').at(-1) !== CHAT_NAME;
}
