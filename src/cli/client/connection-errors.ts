import { ServiceError, type ServiceErrorOptions } from '../../shared/errors.ts';

/**
 * What is known of a server that cannot be reached: its name leads nowhere, something answers that speaks no gRPC on these
 * terms, or nothing answers.
 */
export type WhyUnreachable = 'no host' | 'not gRPC' | 'no answer';

/** There is no connection to the server. `details` say why, for people. */
export class Unreachable extends ServiceError {
  readonly why: WhyUnreachable;

  constructor(authority: string, details: string, { why, cause }: { why: WhyUnreachable; cause?: unknown }) {
    super('UNAVAILABLE', `Cannot connect to ${authority}`, { details, cause });
    this.why = why;
  }
}

/** The server does not know the key that was sent, or no longer. */
export class KeyRefused extends ServiceError {
  /** `maskedKey` may be shown; it ends in an ellipsis on its own where nothing of the key may be. */
  constructor(maskedKey: string, options: ServiceErrorOptions) {
    super('UNAUTHENTICATED', `The server does not accept the API key ${maskedKey}`.replace(/ …$/, ''), options);
  }
}
