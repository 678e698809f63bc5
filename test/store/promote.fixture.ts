import { buildOnce, moveOnce } from '../../src/server/service/ingest/promotion-task.ts';

/** Takes the next steps for every large space, one after the other; true when there is more to do. */
export async function promoteOnce(...call: Parameters<typeof buildOnce>): Promise<boolean> {
  const hasMoved = await moveOnce(...call);
  return (await buildOnce(...call)) || hasMoved;
}
