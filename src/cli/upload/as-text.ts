import { contentTypeOfName, isTextType } from '../../shared/content-types.ts';
import { textEncodingOf } from '../../shared/text-encoding.ts';
import { CommandError, EXIT } from '../kit/errors.ts';

/** Content with the type that it is stored under. */
export interface TypedContent {
  content: Buffer;
  contentType: string;
  /** It was in another encoding and is UTF-8 now. */
  isConverted: boolean;
}

export interface TypeOptions {
  /** Of the file; its extension tells the type unless `contentType` does. */
  name: string;
  contentType: string | undefined;
}

/** Readers of these look for a charset inside the text, which the declared one overrules. */
const DECLARES_ITSELF = /html|xml/;

/**
 * Finds the type of content, and makes UTF-8 of text that is not: the service takes text without a declared charset as
 * UTF-8. Undefined for bytes that are no text and of which nothing tells the type.
 *
 * @throws CommandError (exit 65) for bytes that are declared as text and are none.
 */
export function typedContent(content: Buffer, { name, contentType }: TypeOptions): TypedContent | undefined {
  const declared = contentType ?? contentTypeOfName(name);
  const isText = declared === undefined || isBareText(declared);
  const encoding = isText ? textEncodingOf(content) : undefined;
  const type = declared ?? 'text/plain';
  if (encoding === 'windows-1252') {
    // With `stream`: without it Node 20 decodes windows-1252 as ISO 8859-1, which has no quotes and no euro.
    const text = new TextDecoder(encoding).decode(content, { stream: true });
    return {
      content: Buffer.from(text),
      contentType: DECLARES_ITSELF.test(type) ? `${type}; charset=utf-8` : type,
      isConverted: true,
    };
  }
  if (declared === undefined && (encoding === undefined || (encoding === 'utf-8' && content.includes(0))))
    return undefined;
  if (isText && encoding === undefined) throw noText(type);
  return { content, contentType: type, isConverted: false };
}

/** Text whose charset is not declared. */
function isBareText(type: string): boolean {
  const [essence = '', ...parameters] = type.split(';');
  return isTextType(essence.trim().toLowerCase()) && !parameters.some((one) => /^\s*charset\s*=/i.test(one));
}

function noText(type: string): CommandError {
  return new CommandError('It is not text', {
    code: 'INVALID_ARGUMENT',
    exit: EXIT.badInput,
    details: `it would be stored as ${type}, but contains bytes that are not text; give its type with --content-type`,
  });
}
