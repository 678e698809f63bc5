import { create } from '@bufbuild/protobuf';
import { SystemInfoSchema } from '../../../shared/gen/service/v1/system_pb.ts';
import type { BuildInfo } from '../../version.ts';
import type { Handlers } from '../handlers.ts';
import { type DiagnosisDeps, diagnose } from './diagnosis/diagnose.ts';
import { type InitializeDeps, initializeSystem } from './initialize.ts';
import { type StatusDeps, systemStatus } from './status.ts';

export interface SystemDeps extends InitializeDeps {
  build: BuildInfo;
  /** What this server can do, as GetSystemInfo shows it; asked for at each call. */
  capabilities: () => Readonly<Record<string, string>>;
}

export type SystemHandlers = Pick<Handlers, 'initializeSystem' | 'getSystemInfo'>;

export function createSystemHandlers(deps: SystemDeps): SystemHandlers {
  const { version, dirty, gitCommit, gitDescribe, buildTime } = deps.build;
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).slice(0, 3).map(Number);
  const publicInfo = { version, major, minor, patch, dirty };
  const buildInfo = {
    ...(gitCommit === undefined ? {} : { gitCommit }),
    ...(gitDescribe === undefined ? {} : { gitDescribe }),
    ...(buildTime === undefined ? {} : { buildTime }),
  };
  return {
    initializeSystem: (_request, context) => initializeSystem(deps, context),

    async getSystemInfo(_request, context) {
      if (context.caller === undefined) return create(SystemInfoSchema, publicInfo);
      const capabilities = { capabilities: { ...deps.capabilities() } };
      return create(SystemInfoSchema, { ...publicInfo, ...buildInfo, capabilities });
    },
  };
}

export type SystemHealthDeps = StatusDeps & DiagnosisDeps;

type SystemHealthHandlers = Pick<Handlers, 'getSystemStatus' | 'diagnose'>;

/** How the server is doing, for whoever runs it. */
export function createSystemHealthHandlers(deps: SystemHealthDeps): SystemHealthHandlers {
  return {
    getSystemStatus: (_request, context) => systemStatus(deps, context),
    diagnose: (_request, context) => diagnose(deps, context),
  };
}
