import type { OperationKey } from '../../../src/shared/operations/table.ts';
import type { Person } from '../../support/stage.ts';
import type { Answer } from '../../support/wire.ts';
import type { Access, Place } from './access.ts';
import type { World } from './world.fixture.ts';

/** The proxy has no RPC and so no key in the table of operations. */
export type RowOperation = OperationKey | 'proxy';

/** What an operation is called upon: ids and whatever else its request needs, and whose it is. */
export interface Subject {
  readonly [name: string]: string;
}

/** One operation, or one form of it, with everything that the matrix needs to know. */
export interface Row {
  readonly operation: RowOperation;
  /** Tells apart the forms of an operation. */
  readonly form?: string;
  /** The permissions that it needs, without suffix; a refusal for the want of one names one of them. */
  readonly needs: readonly string[];
  readonly access: Access;
  /** What it is called upon. */
  subject(world: World, place: Place): Promise<Subject> | Subject;
  /** Whose the subject is, where it is not the one owner of the world. */
  keeper?(subject: Subject): Person;
  /** A success uses the subject up. */
  readonly spends?: true;
  /** The JSON form of the request. */
  request(subject: Subject): Readonly<Record<string, unknown>>;
  /** The member of the subject that may name what does not exist. */
  readonly names?: string;
  /** Items succeed or fail one by one; the request has one. */
  readonly batch?: true;
  /** A form that REST alone has. */
  send?(world: World, subject: Subject, key: string | undefined): Promise<Answer>;
  /** What must look the same before and after refused calls. */
  look?(world: World, subject: Subject): Promise<unknown>;
}
