import { isIP } from 'node:net';
import { scalar, type ValueType } from './value-type.ts';

/** A DNS label as certificates and resolvers meet it in practice; the underscore occurs in container networks. */
const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/** What keeps `item` from being a bare host name or IP address; undefined when it is one. */
export function hostProblem(item: string): string | undefined {
  const quoted = JSON.stringify(item);
  if (item.includes('://')) return `${quoted} has a scheme`;
  if (item.includes('%')) return `${quoted} has a zone`;
  if (isIP(item) !== 0) return undefined;
  if (/^\[.*\]$/.test(item)) return `${quoted} has brackets; IPv6 addresses are written without them`;
  if (/:\d+$/.test(item)) return `${quoted} has a port`;
  const labels = item.split('.');
  const isName = item.length <= 253 && labels.every((label) => LABEL.test(label));
  // A name whose last label is all digits can only be a mistyped IPv4 address such as 127.0.0.256.
  if (isName && !/^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return `${quoted} is not a host name or IP address`;
}

export const host: ValueType<string> = scalar({
  placeholder: '<host>',
  parse: (text) => {
    const problem = hostProblem(text.trim());
    return problem === undefined ? { value: text.trim() } : { problem };
  },
});

/** What keeps `item` from being a web origin as browsers send it in `Origin`; undefined when it is one. */
export function originProblem(item: string): string | undefined {
  const quoted = JSON.stringify(item);
  if (!URL.canParse(item)) return `${quoted} is not an origin such as https://app.example.com`;
  const url = new URL(item);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${quoted} is not an http or https origin`;
  if (url.origin !== item) return `${quoted} is not a bare origin; write it as ${url.origin}`;
  return undefined;
}

/** An http(s) address without credentials, query and fragment; a blank text switches the thing at that address off. */
export const httpAddressOrOff: ValueType<string | undefined> = scalar<string | undefined>({
  placeholder: '<url>',
  acceptsBlank: true,
  print: (value) => value ?? '',
  parse: (text) => {
    const address = text.trim();
    if (address === '') return { value: undefined };
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return { problem: 'must be an address that begins with http:// or https://' };
    }
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      return { problem: 'must not hold credentials, a query or a fragment' };
    }
    return { value: address.replace(/\/+$/, '') };
  },
});
