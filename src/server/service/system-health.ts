import type { Handlers } from './handlers.ts';
import { type DiagnosisDeps, diagnose } from './system/diagnosis/diagnose.ts';
import { type StatusDeps, systemStatus } from './system/status.ts';

export type SystemHealthDeps = StatusDeps & DiagnosisDeps;

export type SystemHealthHandlers = Pick<Handlers, 'getSystemStatus' | 'diagnose'>;

/** How the server is doing, for whoever runs it. */
export function createSystemHealthHandlers(deps: SystemHealthDeps): SystemHealthHandlers {
  return {
    getSystemStatus: (_request, context) => systemStatus(deps, context),
    diagnose: (_request, context) => diagnose(deps, context),
  };
}
