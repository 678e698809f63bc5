import { InitializeSystemResponseSchema, SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import { command } from '../command.ts';
import { text } from '../flags/kinds.ts';
import { writeRecord } from '../render/records.ts';
import { readSecret } from '../session.ts';

export const init = command({
  name: 'init',
  summary: 'Make the root user and its key on a new server',
  notes: 'The key alone goes to stdout. It is shown once; on a server that has its root user nothing happens.',
  args: {},
  flags: { initToken: text('--init-token <token>', 'Token that the server was started with, - reads it from stdin') },
  examples: ['init', 'init > root.key', 'init --init-token - < token.txt'],
  async run({ io, client }, { flags }) {
    const token = flags.initToken === '-' ? await readSecret(io, '-') : flags.initToken;
    const response = await (await client()).call(
      SystemService.method.initializeSystem,
      {},
      token === undefined ? {} : { metadata: { 'x-service-init-token': token } },
    );
    if (io.isData) {
      await writeRecord(io, { desc: InitializeSystemResponseSchema, columns: [] }, response);
      return undefined;
    }
    if (response.rootApiKey === undefined) {
      await io.stderr.write(
        'This server already has its root user; no key was made. Use the key that the first init printed.\n',
      );
      return undefined;
    }
    await io.stdout.write(`${response.rootApiKey}\n`);
    await io.stderr.write(
      'This is the root key. Keep it now: it cannot be shown again.\nUse it: export SVC_API_KEY=KEY, then: svc spaces create NAME\n',
    );
    return undefined;
  },
});
