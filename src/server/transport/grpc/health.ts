import { create } from '@bufbuild/protobuf';
import type { handleUnaryCall, ServerWritableStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ServiceError } from '../../../shared/errors.ts';
import {
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  type HealthListResponse,
  HealthListResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../../shared/gen/grpc/health/v1/health_pb.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import { parseRequest } from './bridge.ts';
import { guarded } from './status.ts';

/**
 * The standard health service, which reports the lifecycle and whether the database answers. `services` are the names
 * whose status is readiness.
 */
export function healthImplementation(lifecycle: Lifecycle, services: readonly string[]): UntypedServiceImplementation {
  const ready = new Set(['', 'readiness', ...services]);
  const statusOf = (service: string): ServingStatus | undefined => {
    if (ready.has(service)) return serving(lifecycle.serving);
    if (service === 'liveness') return ServingStatus.SERVING;
    return service === 'startup' ? serving(lifecycle.started) : undefined;
  };

  const check: handleUnaryCall<Uint8Array, HealthCheckResponse> = (call, callback) => {
    const outcome = guarded(() => {
      const status = statusOf(parseRequest(HealthCheckRequestSchema, call.request).service);
      if (status === undefined) throw new ServiceError('NOT_FOUND', 'No such service');
      return create(HealthCheckResponseSchema, { status });
    });
    if ('error' in outcome) callback(outcome.error);
    else callback(null, outcome.value);
  };
  const list: handleUnaryCall<Uint8Array, HealthListResponse> = (_call, callback) => {
    const names = [...ready, 'liveness', 'startup'];
    const statuses = names.map((name) => [name, create(HealthCheckResponseSchema, { status: statusOf(name) ?? 0 })]);
    callback(null, create(HealthListResponseSchema, { statuses: Object.fromEntries(statuses) }));
  };
  const watch = (call: ServerWritableStream<Uint8Array, HealthCheckResponse>) => {
    const request = guarded(() => parseRequest(HealthCheckRequestSchema, call.request));
    if ('error' in request) {
      call.emit('error', request.error);
      return;
    }
    const { service } = request.value;
    let last: ServingStatus | undefined;
    const report = () => {
      const status = statusOf(service) ?? ServingStatus.SERVICE_UNKNOWN;
      if (status !== last) call.write(create(HealthCheckResponseSchema, { status }));
      last = status;
    };
    const stop = lifecycle.onHealth(report);
    call.on('cancelled', () => {
      stop();
      call.end();
    });
    report();
  };
  return { Check: check, List: list, Watch: watch };
}

function serving(yes: boolean): ServingStatus {
  return yes ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
}
