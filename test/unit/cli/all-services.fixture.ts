import type { DescService } from '@bufbuild/protobuf';
import { Health } from '../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';

/** Every service that a client can call. */
export const ALL_SERVICES: readonly DescService[] = [
  Health,
  ...new Set(Object.values(OPERATIONS).map(({ rpc }) => rpc.parent)),
];
