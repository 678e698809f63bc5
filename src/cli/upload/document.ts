import { contentTypeOfName, isTextType } from '../../shared/content-types.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import { textEncodingOf } from '../../shared/text-encoding.ts';
import { uploadId } from '../kit/bulk/memory-id.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { collectInput, readRegularFile, type SizeLimit } from '../kit/input/read-file.ts';
import { emptyStdin, inputBytes } from '../kit/input/read-input.ts';
import type { Io } from '../kit/output/io.ts';

interface DocumentOptions {
  spaceId: string;
  /** Overrides what the file name says. */
  contentType: string | undefined;
  /** The folder that a sync mirrors. */
  mirror?: { readonly source: string };
  limit: SizeLimit;
  signal: AbortSignal;
}

/** One piece of content, ready to be uploaded. */
export interface Document extends TypedContent {
  /** `-` for stdin. */
  path: string;
  memoryId: string;
}

/** Reads a file; undefined when nothing tells its type and its bytes are no text. */
export async function readDocument(
  { file, path }: { file: string | Buffer; path: string },
  { spaceId, contentType, mirror, ...reading }: DocumentOptions,
): Promise<Document | undefined> {
  const read = await readRegularFile(file, { ...reading, name: 'it' });
  const typed = typedContent(read, { name: path, contentType });
  return typed && { ...typed, path, memoryId: uploadId({ spaceId, path, source: mirror?.source }, typed.content) };
}

/** Reads stdin as one document. */
export async function readStdin(
  io: Pick<Io, 'stdin' | 'cwd'>,
  { spaceId, contentType, ...reading }: DocumentOptions,
): Promise<Document> {
  const read = await collectInput(inputBytes(io, '-', reading.signal), { ...reading, name: 'stdin' });
  if (read.length === 0) throw emptyStdin();
  const typed = typedContent(read, { name: '', contentType });
  if (typed === undefined) throw usageError('stdin is not text: give its type with --content-type');
  return { ...typed, path: '-', memoryId: uploadId({ spaceId, path: '-' }, typed.content) };
}

/** Content with the type that it is stored under. */
interface TypedContent {
  content: Buffer;
  contentType: string;
  /** It was in another encoding and is UTF-8 now. */
  isConverted: boolean;
}

interface TypeOptions {
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
function typedContent(content: Buffer, { name, contentType }: TypeOptions): TypedContent | undefined {
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

const MIB = 1024 * 1024;
/** Of a server that does not tell. */
const DEFAULT_MIB = 256;

/** How many bytes of content the server takes. The server is asked once, when the limit is needed first. */
export function contentLimit({ client, signal }: Pick<StoreContext, 'client' | 'signal'>): SizeLimit {
  let asked: Promise<number> | undefined;
  const ask = async (): Promise<number> => {
    try {
      const { capabilities } = await client.call(SystemService.method.getSystemInfo, {}, { signal });
      const told = Number(capabilities?.capabilities.max_content_mb);
      return (told > 0 ? told : DEFAULT_MIB) * MIB;
    } catch {
      signal.throwIfAborted();
      // Without the answer what is too large is refused when it is sent.
      return DEFAULT_MIB * MIB;
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}
