import { SystemInfoSchema, SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import { type Command, command } from '../command.ts';
import { type View, writeRecord } from '../render/records.ts';
import { labelsText, yesNo } from '../render/values.ts';

const infoView: View<typeof SystemInfoSchema> = {
  desc: SystemInfoSchema,
  columns: [
    { header: 'VERSION', value: ({ version }) => version, whole: true },
    { header: 'COMMIT', value: ({ gitCommit }) => gitCommit ?? '' },
    { header: 'BUILT', value: ({ buildTime }) => buildTime ?? '' },
    { header: 'MODIFIED', value: ({ dirty }) => yesNo(dirty) },
    { header: 'CAPABILITIES', value: ({ capabilities }) => labelsText(capabilities?.capabilities ?? {}) },
  ],
};

const info = command({
  name: 'info',
  summary: 'Show the version of the server; with a key also its build and capabilities',
  args: {},
  flags: {},
  examples: ['system info', 'system info -o json', 'system info --server http://localhost:9090'],
  async run({ io, client }) {
    await writeRecord(io, infoView, await (await client()).call(SystemService.method.getSystemInfo, {}));
    return undefined;
  },
});

export const system: readonly Command[] = [info];
