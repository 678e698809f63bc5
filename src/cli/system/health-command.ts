import { EXIT } from '../../shared/exit-codes.ts';
import {
  Health,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthCheckResponse_ServingStatusSchema as ServingStatusSchema,
} from '../../shared/gen/grpc/health/v1/health_pb.ts';
import type { CommandBody } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { choice } from '../kit/flags/kinds.ts';
import { enumText } from '../kit/output/columns.ts';
import { writeRecord } from '../kit/output/records.ts';

const SERVICE_OF_PROBE = { ready: 'readiness', live: 'liveness', startup: 'startup' } as const;

/** The command as it is called by `path`: it stands alone, because it is typed often, and among the other looks at the server. */
export function healthCommand(path: 'health' | 'system health'): CommandBody {
  return loneCommand({
    notes: 'No key is needed. Exit code 0 when it is serving, 69 when it is not or cannot be reached.',
    needsKey: false,
    args: {},
    flags: { probe: choice('--probe <probe>', 'What to ask about (default ready)', ['ready', 'live', 'startup']) },
    examples: [path, `${path} --probe live`, `${path} --server http://localhost:9090 -o json`],
    async run({ io, client }, { flags }) {
      const service = SERVICE_OF_PROBE[flags.probe ?? 'ready'];
      const response = await (await client()).call(Health.method.check, { service });
      if (io.isData) await writeRecord(io, { desc: HealthCheckResponseSchema, columns: [] }, response);
      else await io.stdout.write(`${enumText(ServingStatusSchema, response.status)}\n`);
      return response.status === ServingStatus.SERVING ? undefined : EXIT.unavailable;
    },
  });
}
