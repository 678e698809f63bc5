import { buffer } from 'node:stream/consumers';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';

/*
 * A plugin of `buf generate`: descriptors keep no comments at run time, and the comments of the proto files are what
 * users read about each operation and field. Writes them by full name, e.g. `service.v1.Space.name`.
 */

type Path = readonly number[];

/** Field numbers inside the descriptors, of which the path of a comment consists. */
const FILE = { message: 4, enum: 5, service: 6 };
const MESSAGE = { field: 2, message: 3, enum: 4 };
const CHILD = 2;

class Comments {
  readonly byName = new Map<string, string>();
  #leading = new Map<string, string>();

  addFile(file: FileDescriptorProto): void {
    const locations = file.sourceCodeInfo?.location ?? [];
    this.#leading = new Map(locations.map(({ path, leadingComments }) => [path.join(), leadingComments]));
    for (const [i, message] of file.messageType.entries()) this.#addMessage(file.package, message, [FILE.message, i]);
    for (const [i, type] of file.enumType.entries()) this.#addEnum(file.package, type, [FILE.enum, i]);
    for (const [i, service] of file.service.entries()) {
      this.#addWithChildren(file.package, service.name, service.method, [FILE.service, i]);
    }
  }

  #addMessage(scope: string, message: DescriptorProto, path: Path): void {
    const name = `${scope}.${message.name}`;
    this.#addWithChildren(scope, message.name, message.field, path);
    for (const [i, nested] of message.nestedType.entries()) {
      this.#addMessage(name, nested, [...path, MESSAGE.message, i]);
    }
    for (const [i, type] of message.enumType.entries()) this.#addEnum(name, type, [...path, MESSAGE.enum, i]);
  }

  #addEnum(scope: string, type: EnumDescriptorProto, path: Path): void {
    this.#addWithChildren(scope, type.name, type.value, path);
  }

  /** Fields of a message, values of an enum and methods of a service all have the number 2. */
  #addWithChildren(scope: string, name: string, children: readonly { name: string }[], path: Path): void {
    this.#add(`${scope}.${name}`, path);
    for (const [i, child] of children.entries()) this.#add(`${scope}.${name}.${child.name}`, [...path, CHILD, i]);
  }

  #add(name: string, path: Path): void {
    const text = this.#leading.get(path.join())?.trim();
    if (text) this.byName.set(name, text.replace(/[^\S\n]*\n[^\S\n]*/g, '\n').replace(/(?<!\n)\n(?!\n)/g, ' '));
  }
}

const request = fromBinary(CodeGeneratorRequestSchema, await buffer(process.stdin));
const comments = new Comments();
for (const file of request.protoFile) if (file.package === 'service.v1') comments.addFile(file);
const rows = [...comments.byName].sort(([a], [b]) => (a < b ? -1 : 1));
const content = `// @generated from the comments of the proto files
/** What users read about a service, method, message, field, enum or value, by its full name. */
export const COMMENTS: Readonly<Record<string, string>> = {
${rows.map(([name, text]) => `  ${JSON.stringify(name)}:\n    ${JSON.stringify(text)},\n`).join('')}};
`;
const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [{ name: 'comments.ts', content }],
});
process.stdout.write(toBinary(CodeGeneratorResponseSchema, response));
