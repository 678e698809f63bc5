import { PingResultSchema, PingService } from '../../shared/gen/service/v1/ping_pb.ts';
import { optional } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { EXIT } from '../kit/errors.ts';
import { writeRecord } from '../kit/output/records.ts';
import { checkPingFlags, PING_FLAGS, probeOptions } from '../ping/flags.ts';
import { pingStream } from '../ping/stream.ts';
import { resolveTarget } from '../ping/target.ts';
import { writeProbe } from '../render/ping-once.ts';

export const ping = command({
  name: 'ping',
  summary: 'Probe an embedder, LLM or reranker',
  notes:
    'One probe, or several with --stream; each is one small real call. Without a target it probes the default embedder. While it streams, Ctrl-\\ prints the statistics so far, and Ctrl-C prints them and ends with 130. Exit code 1: no probe succeeded.',
  args: { target: { ...optional('target', 'Id or display name of the target'), completes: 'targets' } },
  flags: PING_FLAGS,
  examples: ['ping', 'ping 01980000-0000-7000-8000-0000000000c1', 'ping --stream -c 10 -i 500ms'],
  async run(context, { args, flags }) {
    checkPingFlags(flags);
    if (flags.stream) return pingStream(context, args.target, flags);
    const { io } = context;
    const client = await context.client();
    const targetId = await resolveTarget(client, args.target);
    const result = await client.call(PingService.method.pingOnce, { targetId, ...probeOptions(flags) });
    if (io.isData) await writeRecord(io, { desc: PingResultSchema, columns: [] }, result);
    else await writeProbe(io, result);
    return result.ok ? undefined : EXIT.failed;
  },
});
