import { startEngineProxy, type EngineProxy } from './engine-proxy.ts';
import { callOf, demandsOf, isAllowed, type NoteAsked, type RoleOf } from './role.ts';

/**
 * A proxy before the engine that lets through what the calling function's role allows, as IAM does. It knows
 * a function by its access key id.
 */
export type RoleGuard = EngineProxy;

/** `noteAsked` is told every permission that a call needs, up to the first that is denied. */
export function startRoleGuard(
  engineEndpoint: string,
  roleOf: RoleOf,
  noteAsked: NoteAsked = () => undefined,
): Promise<RoleGuard> {
  return startEngineProxy(engineEndpoint, (request, body) => {
    const { functionName, operation } = callOf(request);
    const denied = demandsOf(operation, JSON.parse(body.toString())).find(
      (demand) => !isAllowed(functionName, demand, { roleOf, noteAsked }),
    );
    if (!denied) return undefined;
    const keys = denied.leadingKeys?.join(', ') ?? 'no key';
    return {
      name: 'AccessDeniedException',
      message: `The role of ${functionName} does not allow ${denied.action} on ${denied.resource} (${keys})`,
    };
  });
}
