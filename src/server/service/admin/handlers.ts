import { create } from '@bufbuild/protobuf';
import {
  ActiveLicenseSchema,
  type ReloadLicenseResponse,
  ReloadLicenseResponse_Status,
  ReloadLicenseResponseSchema,
} from '../../../shared/gen/service/v1/admin_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { Db } from '../../store/db.ts';
import type { Handlers } from '../handlers.ts';
import type { License } from '../license/license.ts';
import { drainServer } from './drain.ts';
import { purgeJobs } from './purge-jobs.ts';

export interface AdminDeps {
  db: Db;
  lifecycle: Lifecycle;
  license: License;
}

export type AdminHandlers = Pick<Handlers, 'drain' | 'purgeBackgroundJobs' | 'reloadLicense'>;

export function createAdminHandlers({ db, lifecycle, license }: AdminDeps): AdminHandlers {
  return {
    drain: (request, context) => drainServer(lifecycle, request, context),
    purgeBackgroundJobs: (request, context) => purgeJobs(db.background, request, context),
    reloadLicense: () => reloadLicense(license),
  };
}

async function reloadLicense(license: License): Promise<ReloadLicenseResponse> {
  const { status, message } = await license.reload();
  const { active } = license;
  return create(ReloadLicenseResponseSchema, {
    status: ReloadLicenseResponse_Status[status],
    message,
    ...(active === undefined
      ? {}
      : {
          activeLicense: create(ActiveLicenseSchema, {
            ...active,
            sizeBytes: BigInt(active.sizeBytes),
            modifiedAt: timestampFromMs(active.modifiedAt),
          }),
        }),
  });
}
