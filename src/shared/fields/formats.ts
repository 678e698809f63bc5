import { NOT_A_UUID } from '../errors.ts';
import { Format } from '../gen/service/v1/options_pb.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** ASCII only: a media type is sent in a header again. */
const QUOTED = '"(?:[\\t !#-[\\]-~]|\\\\[\\t -~])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);
const EMAIL = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u;
const USERNAME = /^[A-Za-z0-9._-]+$/;

/** What is wrong with a text that should have the format; `undefined` when nothing is, or the format is not one of texts. */
export function formatProblem(format: Format, text: string): string | undefined {
  switch (format) {
    case Format.UUID:
      return UUID.test(text) ? undefined : NOT_A_UUID.problem;
    case Format.EMAIL:
      return EMAIL.test(text) ? undefined : 'not an e-mail address';
    case Format.URL:
      return isHttpUrl(text) ? undefined : 'not an http or https URL';
    case Format.MEDIA_TYPE:
      return MEDIA_TYPE.test(text) ? undefined : 'not a media type';
    case Format.USERNAME:
      return USERNAME.test(text) ? undefined : 'may hold only letters, digits, ".", "_" and "-"';
    default:
      return undefined;
  }
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function isHttpUrl(text: string): boolean {
  // The URL parser drops blanks, tabs and line breaks; a stored address should be what is called.
  if (!/^https?:\/\//i.test(text) || /[\s\p{Cc}]/u.test(text)) return false;
  return URL.canParse(text);
}
