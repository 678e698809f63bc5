import { PingService } from '../gen/service/v1/ping_pb.ts';
import { operation, TARGET_CALL } from './operation.ts';
import { posted } from './routes.ts';

const { method } = PingService;

export const PING_OPERATIONS = {
  ping: operation(method.ping, {
    ...TARGET_CALL,
    permission: undefined,
    errors: ['NOT_FOUND'],
    rest: [posted('/v1/ping:stream', { bodyField: 'config' })],
  }),
  pingOnce: operation(method.pingOnce, {
    ...TARGET_CALL,
    permission: undefined,
    errors: ['NOT_FOUND'],
    rest: [posted('/v1/ping:once')],
  }),
} as const;
