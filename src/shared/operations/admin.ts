import { AdminService } from '../gen/service/v1/admin_pb.ts';
import { operation } from './operation.ts';
import { posted } from './routes.ts';

const { method } = AdminService;

export const ADMIN_OPERATIONS = {
  drain: operation(method.drain, {
    auth: 'key',
    permission: 'DRAIN_SERVER',
    mutates: false,
    awaitsWork: true,
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [posted('/v1/admin:drain')],
  }),
  purgeBackgroundJobs: operation(method.purgeBackgroundJobs, {
    auth: 'key',
    permission: 'PURGE_JOBS',
    mutates: false,
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [posted('/v1/admin/background-jobs:purge')],
  }),
  reloadLicense: operation(method.reloadLicense, {
    auth: 'key',
    permission: 'RELOAD_LICENSE',
    mutates: false,
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [posted('/v1/admin/license:reload')],
  }),
} as const;
