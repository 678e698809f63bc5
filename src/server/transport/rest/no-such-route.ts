import { ServiceError } from '../../../shared/errors.ts';
import { OPERATIONS } from '../../../shared/operations/table.ts';

const ROUTES = Object.values(OPERATIONS).flatMap(({ rest }) =>
  rest.map(({ method, path }) => ({ method, path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/:]+')}$`) })),
);

/** The refusal of a call that no route takes; it tells which methods the path does take, if there are any. */
export function noSuchRoute({ method, url }: { method: string; url: string }): ServiceError {
  const path = url.split('?', 1)[0] ?? '';
  const methods = new Set(ROUTES.filter((route) => route.path.test(path)).map((route) => route.method));
  const details = methods.size === 0 ? '' : `this path takes ${[...methods].join(', ')}`;
  return new ServiceError('NOT_FOUND', `No such route: ${method} ${path}`, { details });
}
