import type { JsonObject } from '@bufbuild/protobuf';
import type { OperationInfo, RestRoute } from '../../shared/operations/operation.ts';
import type { Part } from './schema.ts';

/** The call as a line for a shell, with the address and the key in variables. */
export function curlSample(route: RestRoute, auth: OperationInfo['auth'], example: JsonObject | undefined): Part {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => shellName(name));
  const query = route.fromQuery === undefined ? '' : '?message=boiler&spaceIds=SPACE_ID';
  const words = [
    'curl',
    ...(route.method === 'GET' ? [] : ['-X', route.method]),
    `"$SVC_URL${path}${query}"`,
    ...(auth === 'none' ? [] : ['-H "x-api-key: $SVC_API_KEY"']),
    ...(example === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(example))}`]),
  ];
  return { lang: 'Shell', label: 'curl', source: words.join(' ') };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `spaceId` becomes `SPACE_ID`. */
function shellName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
