import { AdminService } from '../gen/service/v1/admin_pb.ts';
import { operation, UNRESTRICTED } from './operation.ts';
import { posted } from './routes.ts';

const { method } = AdminService;

export const ADMIN_OPERATIONS = {
  drain: operation(method.drain, {
    ...UNRESTRICTED,
    permission: 'DRAIN_SERVER',
    awaitsWork: true,
    errors: [],
    rest: [posted('/v1/admin:drain')],
  }),
  purgeBackgroundJobs: operation(method.purgeBackgroundJobs, {
    ...UNRESTRICTED,
    permission: 'PURGE_JOBS',
    errors: [],
    rest: [posted('/v1/admin/background-jobs:purge')],
  }),
  reloadLicense: operation(method.reloadLicense, {
    ...UNRESTRICTED,
    permission: 'RELOAD_LICENSE',
    errors: [],
    rest: [posted('/v1/admin/license:reload')],
  }),
} as const;
