import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { isFieldSet } from '@bufbuild/protobuf';

/** Whether an update request gives anything but the id, its first field. An empty list says nothing. */
export function hasChanges<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): boolean {
  return desc.fields.slice(1).some((field) => isFieldSet(request, field));
}
