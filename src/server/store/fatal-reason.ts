import pg from 'pg';
import type { DatabaseTarget } from '../settings/database-url.ts';
import { FatalDatabaseError } from './errors.ts';

interface Reason {
  readonly message: string;
  readonly remedy: string;
}

/** Refusals by the server that a retry cannot fix, by SQLSTATE. */
function refusal(code: string | undefined, { user, database }: DatabaseTarget): Reason | undefined {
  switch (code) {
    case '28P01':
      return {
        message: `The database refused the password of the user ${user}.`,
        remedy: 'Correct --db-password and --db-user.',
      };
    case '28000':
      return {
        message: `The database does not allow the user ${user} to connect.`,
        remedy: 'Create the role, or allow it in pg_hba.conf, or correct --db-user or sslmode in the database URL.',
      };
    case '3D000':
      return {
        message: `The database ${database} does not exist.`,
        remedy: `Create it with: create database ${pg.escapeIdentifier(database)};`,
      };
    case '42501':
      return {
        message: `The user ${user} lacks a right in the database ${database}.`,
        remedy: `As an administrator grant connect and create on the database ${database} to ${user}.`,
      };
  }
  return undefined;
}

/** Whether the server answered that it has no TLS. pg gives this no code, so it is known by its message. */
export function isTlsDeclined(error: unknown): boolean {
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** Refusals by pg or TLS on the client side of the connection. */
function localRefusal(error: Error, { host }: DatabaseTarget): Reason | undefined {
  const code = 'code' in error ? String(error.code) : '';
  // pg gives its own refusals no code: one for want of a password is known by its message.
  if (error.message.startsWith('SASL:') || error.message.includes('client password must be')) {
    return { message: 'The database requires a password, and none was accepted.', remedy: 'Give --db-password.' };
  }
  if (isTlsDeclined(error)) {
    return {
      message: `The database server ${host} does not offer TLS, which sslmode demands.`,
      remedy: 'Switch TLS on at the database server, or choose another sslmode in the database URL.',
    };
  }
  if (/^(ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET))/.test(code)) {
    return {
      message: `The certificate of the database server ${host} is not accepted: ${error.message}.`,
      remedy: 'Give the right authority as sslrootcert in the database URL, or correct the host name in it.',
    };
  }
  return undefined;
}

/**
 * The fatal form of an error while connecting, or undefined for a transient one: not reachable, starting up, out of
 * connections, a fail-over.
 */
export function fatalReason(error: unknown, target: DatabaseTarget): FatalDatabaseError | undefined {
  if (error instanceof FatalDatabaseError) return error;
  if (!(error instanceof Error)) return undefined;
  const reason = error instanceof pg.DatabaseError ? refusal(error.code, target) : localRefusal(error, target);
  return reason && new FatalDatabaseError(reason.message, reason.remedy, { cause: error });
}
