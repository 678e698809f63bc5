import { SystemService } from '../gen/service/v1/system_pb.ts';
import { operation, READ } from './operation.ts';
import { got, posted } from './routes.ts';

const { method } = SystemService;

export const SYSTEM_OPERATIONS = {
  initializeSystem: operation(method.initializeSystem, {
    auth: 'none',
    permission: undefined,
    mutates: true,
    showsSecret: true,
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['UNAUTHENTICATED'],
    rest: [posted('/v1/system/init')],
  }),
  getSystemInfo: operation(method.getSystemInfo, {
    auth: 'optional',
    permission: undefined,
    mutates: false,
    readOnlyKey: 'allowed',
    spaceBoundKey: 'allowed',
    errors: [],
    rest: [got('/v1/system/info')],
  }),
  getSystemStatus: operation(method.getSystemStatus, {
    ...READ,
    permission: 'READ_SYSTEM',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [got('/v1/system/status')],
  }),
  diagnose: operation(method.diagnose, {
    ...READ,
    permission: 'READ_SYSTEM',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [got('/v1/system/diagnosis')],
  }),
} as const;
