import { CommandError, EXIT } from '../failure.ts';

export interface ConfigurationErrorOptions {
  details?: string;
  /** What to do next. */
  next?: string;
  cause?: unknown;
}

/** The config file or what it says cannot be used (exit 78). */
export class ConfigurationError extends CommandError {
  constructor(message: string, options: ConfigurationErrorOptions = {}) {
    super(message, { code: 'CONFIGURATION_ERROR', exit: EXIT.configuration, ...options });
    this.name = 'ConfigurationError';
  }
}
