import type { TransferListItem } from 'node:worker_threads';

/**
 * The buffers of a task's result that can be transferred without a copy: the result itself or its direct members, if they
 * are views of their whole buffer. A view into a shared allocation (small Node Buffers) is copied instead, because
 * a transfer would detach the other views of the allocation.
 */
export function transferables(value: unknown): TransferListItem[] {
  const members =
    ArrayBuffer.isView(value) || typeof value !== 'object' || value === null ? [value] : Object.values(value);
  const buffers = new Set<ArrayBuffer>();
  for (const member of members) {
    if (!ArrayBuffer.isView(member) || !(member.buffer instanceof ArrayBuffer)) continue;
    if (member.byteLength === member.buffer.byteLength) buffers.add(member.buffer);
  }
  return [...buffers];
}
