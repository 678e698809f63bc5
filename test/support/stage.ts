import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../src/shared/errors.ts';
import type { OperationKey } from '../../src/shared/operations/table.ts';
import type { TestServer } from './server.ts';
import type { Json, Wire } from './wire.ts';

type Request = Readonly<Record<string, unknown>>;

/** A user of the server under test with a key. */
export interface Person {
  userId: string;
  key: string;
}

/** Who calls: a key, or null for a call without one. */
type As = string | null;

/** What a refusal must say; what is left out is not looked at. */
interface Refusal {
  as?: As;
  message?: string | RegExp;
  details?: string | RegExp;
}

/** What a scenario plays on: one wire of a running server, and the people and things that it needs. */
export class Stage {
  readonly wire: Wire;
  readonly server: TestServer;
  /** Who calls unless another key is given. */
  readonly caller: Person;

  constructor(wire: Wire, server: TestServer, caller: Person) {
    this.wire = wire;
    this.server = server;
    this.caller = caller;
  }

  /** The body of a call that must succeed. */
  async ok(operation: OperationKey, request: Request = {}, as: As = this.caller.key): Promise<Json> {
    const answer = await this.wire.call(operation, request, { key: as ?? undefined });
    if (!answer.ok) throw new Error(`${operation} answered ${answer.code}: ${answer.message} (${answer.details})`);
    return answer.body;
  }

  /** The events of a stream that must end well. */
  async events(operation: OperationKey, request: Request = {}, as: As = this.caller.key): Promise<Json[]> {
    const answer = await this.wire.call(operation, request, { key: as ?? undefined });
    if (!answer.ok) throw new Error(`${operation} answered ${answer.code}: ${answer.message} (${answer.details})`);
    return answer.events;
  }

  /** Expects a call to fail with that code before any event. */
  async refused(operation: OperationKey, request: Request, code: ErrorCode, refusal: Refusal = {}): Promise<void> {
    const { as = this.caller.key, message, details } = refusal;
    const answer = await this.wire.call(operation, request, { key: as ?? undefined });
    const shown = JSON.stringify(answer.ok ? answer.body : answer);
    if (answer.ok) throw new Error(`${operation} should answer ${code} and succeeded: ${shown}`);
    if (answer.code !== code) throw new Error(`${operation} should answer ${code}: ${shown}`);
    if (answer.events.length > 0) throw new Error(`${operation} sent events before its refusal: ${shown}`);
    if (!says(answer.message, message)) throw new Error(`${operation}: the message should say ${message}: ${shown}`);
    if (!says(answer.details, details)) throw new Error(`${operation}: the details should say ${details}: ${shown}`);
  }

  /** A new user with a key. */
  async person(role: 'USER' | 'ADMIN' = 'USER'): Promise<Person> {
    const name = unique('p');
    const { userId } = await this.ok('createUser', { email: `${name}@example.org`, displayName: name, role });
    return { userId, key: await this.key({ userId }) };
  }

  /** A new key; without `userId` it is the caller's. */
  async key(request: Request = {}, as: As = this.caller.key): Promise<string> {
    return (await this.ok('createApiKey', request, as)).rawApiKey as string;
  }

  /** The id of a BUILTIN embedder, the same for every call on one stage. */
  async embedder(): Promise<string> {
    const { embedders } = await this.ok('listEmbedders', { label: { stage: 'shared' } });
    if (embedders.length > 0) return embedders[0].embedderId as string;
    const created = await this.ok('createEmbedder', {
      displayName: 'Shared by the scenarios',
      providerType: 'BUILTIN',
      modelIdentifier: 'lexical-v1',
      dimensionality: 256,
      labels: { stage: 'shared' },
    });
    return created.embedderId as string;
  }

  /** A new space with that embedder. */
  async space(request: Request = {}, as: As = this.caller.key): Promise<Json> {
    return await this.ok('createSpace', { name: unique('space'), embedderId: await this.embedder(), ...request }, as);
  }

  /** A text in a space, processed; without `spaceId` in a space of its own. */
  async memory(request: Request = {}, as: As = this.caller.key): Promise<Json> {
    const spaceId = request.spaceId ?? (await this.space({}, as)).spaceId;
    const content = 'originalContentB64' in request ? {} : { originalContent: 'Some text.' };
    return await this.ok(
      'createMemory',
      { contentType: 'text/plain', ...content, waitMs: 60_000, ...request, spaceId },
      as,
    );
  }

  /** The memory once its processing has ended, well or not. */
  async processed(memoryId: string, as: As = this.caller.key): Promise<Json> {
    let memory: Json;
    await this.until(async () => {
      memory = await this.ok('getMemory', { memoryId }, as);
      return ['COMPLETED', 'FAILED'].includes(memory.processingStatus);
    });
    return memory;
  }

  /**
   * The answer to a request that gives something an `expiresAt`: the nearest one that still lies ahead when the request
   * arrives, however slow this machine is.
   */
  async expiring(operation: OperationKey, request: Request = {}): Promise<Json> {
    for (let lifeMs = 200; ; lifeMs *= 2) {
      const sent = { ...request, expiresAt: Date.now() + lifeMs };
      const answer = await this.wire.call(operation, sent, { key: this.caller.key });
      if (answer.ok) return answer.body;
      if (!answer.details.includes('expiresAt') || lifeMs > 10_000) {
        throw new Error(`${operation} answered ${answer.code}: ${answer.message} (${answer.details})`);
      }
    }
  }

  /** Resolves once the call is refused with that code. */
  async untilRefused(
    operation: OperationKey,
    request: Request,
    code: ErrorCode,
    as: As = this.caller.key,
  ): Promise<void> {
    await this.until(async () => {
      const answer = await this.wire.call(operation, request, { key: as ?? undefined });
      return !answer.ok && answer.code === code;
    });
  }

  /** Resolves once a change that is made now is later than that time, in milliseconds since the epoch. */
  async later(than: number): Promise<void> {
    while (Date.now() <= than) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Polls until the condition holds. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error('waited for 30 s in vain');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A name that no other scenario uses. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 13)}`;
}

function says(text: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
