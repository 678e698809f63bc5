import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import { SortOrder } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type ListSpacesRequest,
  type ListSpacesResponse,
  ListSpacesResponseSchema,
} from '../../../shared/gen/service/v1/space_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { type SpaceListFilter, type SpaceRow, type SpaceSort, selectSpaceList } from '../../store/spaces.ts';
import { openPage, type PageTokens } from '../page-token.ts';
import { callerOf, denied, guarded, hasAnyScope, may } from '../permission.ts';
import { spaceMessages } from './space-message.ts';

const SORTS: ReadonlyMap<string, SpaceSort> = new Map([
  ['', 'created_time'],
  ['created_time', 'created_time'],
  ['created_at', 'created_time'],
  ['updated_time', 'updated_time'],
  ['updated_at', 'updated_time'],
  ['name', 'name'],
]);

export async function listSpaces(
  deps: { db: Db; pageTokens: PageTokens },
  request: ListSpacesRequest,
  context: CallContext,
): Promise<ListSpacesResponse> {
  const sort = SORTS.get(request.sortBy ?? '');
  if (sort === undefined) {
    throw invalidFields([{ path: 'sortBy', problem: 'must be one of created_time, updated_time and name' }]);
  }
  const order = request.sortOrder === SortOrder.ASCENDING ? 'asc' : 'desc';
  const filter = listFilter(request, context);
  const page = openPage(deps.pageTokens, context, request, { ...filter, sort, order });
  const options = { signal: context.signal };
  const rows = await selectSpaceList(
    deps.db.main,
    filter,
    { sort, order, limit: page.limit, after: page.after },
    guarded(context),
  );
  const { items, nextToken } = page.close(rows, (row) => [sortValue(row, sort), row.spaceId]);
  return create(ListSpacesResponseSchema, {
    spaces: await spaceMessages(deps.db.main, items, { ...options, includeStatistics: request.includeStatistics }),
    ...(nextToken === undefined ? {} : { nextToken }),
  });
}

function listFilter(request: ListSpacesRequest, context: CallContext): SpaceListFilter {
  const caller = callerOf(context);
  const { ownerId, nameFilter = '' } = request;
  const publicOnly = request.publicRead === true;
  if (publicOnly && ownerId !== undefined) {
    throw invalidFields([{ path: 'publicRead', problem: 'cannot be given together with ownerId' }]);
  }
  if (ownerId !== undefined && !may(caller, 'LIST_SPACE', ownerId)) throw denied('LIST_SPACE', 'ANY');
  const seesAll = publicOnly || hasAnyScope(caller);
  return {
    ownerId: ownerId ?? (seesAll ? undefined : caller.userId),
    publicOnly,
    spaceIds: caller.spaceIds === undefined ? undefined : [...caller.spaceIds],
    namePattern: nameFilter === '' ? undefined : namePattern(nameFilter),
    labels: request.label,
  };
}

function sortValue(row: SpaceRow, sort: SpaceSort): string | number {
  if (sort === 'name') return row.name;
  return sort === 'created_time' ? row.createdAt : row.updatedAt;
}

/**
 * Converts a glob over the whole name to a LIKE pattern: `*` matches any characters, `?` one character, and `\` escapes the
 * next one, as in LIKE. PostgreSQL refuses NUL in a parameter and no name contains it, so such a glob becomes the empty
 * pattern, which matches no name.
 */
function namePattern(glob: string): string {
  if (glob.includes('\0')) return '';
  let pattern = '';
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob.charAt(at);
    if (character === '*') pattern += '%';
    else if (character === '?') pattern += '_';
    else if (character === '\\' && at + 1 < glob.length) {
      at += 1;
      pattern += literal(glob.charAt(at));
    } else pattern += literal(character);
  }
  return pattern;
}

function literal(character: string): string {
  return character === '%' || character === '_' || character === '\\' ? `\\${character}` : character;
}
