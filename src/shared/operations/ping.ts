import { PingService } from '../gen/service/v1/ping_pb.ts';
import { operation } from './operation.ts';
import { posted } from './routes.ts';

const { method } = PingService;

export const PING_OPERATIONS = {
  ping: operation(method.ping, {
    auth: 'key',
    permission: undefined,
    mutates: false,
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    answers: 'events',
    errors: ['NOT_FOUND'],
    rest: [posted('/v1/ping:stream', { response: 'events', bodyField: 'config' })],
  }),
  pingOnce: operation(method.pingOnce, {
    auth: 'key',
    permission: undefined,
    mutates: false,
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND'],
    rest: [posted('/v1/ping:once')],
  }),
} as const;
