import { type LoadedSettings, type LoadInput, readSettings } from '../../../../src/server/settings/load.ts';
import { type ConfigurationProblem, SettingsError } from '../../../../src/server/settings/settings-error.ts';

/** A machine that every test agrees on. */
export const PLATFORM = { cpuCount: 3, home: '/home/ada', activateFips: () => undefined };

/** The least that a server without --embedded needs. */
export const DATABASE = { DB_URL: 'postgresql://db/memories', DB_USER: 'svc', DB_PASSWORD: 'long enough for fips' };

/** Settings without problems. Throws SettingsError for what a server would not start with. */
export function loadSettings(input: LoadInput): LoadedSettings {
  const { problems, ...loaded } = readSettings(input);
  if (problems.length > 0) throw new SettingsError(problems);
  return loaded;
}

export function load({ env = {}, platform, ...input }: LoadInput = {}) {
  return loadSettings({ ...input, env: { ...DATABASE, ...env }, platform: { ...PLATFORM, ...platform } });
}

/** Why the configuration is refused, without a database unless the input names one. */
export function problemsOf(input: LoadInput): readonly ConfigurationProblem[] {
  try {
    loadSettings({ env: {}, ...input, platform: { ...PLATFORM, ...input.platform } });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

export function problemsWith(input: LoadInput): readonly ConfigurationProblem[] {
  return problemsOf({ ...input, env: { ...DATABASE, ...input.env } });
}
