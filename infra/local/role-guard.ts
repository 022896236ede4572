import { startEngineProxy, type EngineProxy } from './engine-proxy.ts';
import { callOf, requiredPermissions, isAllowed, type OnPermissionCheck, type RoleOf } from './role.ts';

/**
 * A proxy in front of the engine that passes on the calls that the calling function's role allows, as IAM
 * does. The access key id names the function.
 */
export type RoleGuard = EngineProxy;

/** @param onPermissionCheck receives every permission that a call needs, up to the first that is denied */
export function startRoleGuard(
  engineEndpoint: string,
  roleOf: RoleOf,
  onPermissionCheck: OnPermissionCheck = () => undefined,
): Promise<RoleGuard> {
  return startEngineProxy(engineEndpoint, (request, body) => {
    const { functionName, operation } = callOf(request);
    const denied = requiredPermissions(operation, JSON.parse(body.toString())).find(
      (demand) => !isAllowed(functionName, demand, { roleOf, onPermissionCheck }),
    );
    if (!denied) return undefined;
    const keys = denied.leadingKeys?.join(', ') ?? 'no key';
    return {
      name: 'AccessDeniedException',
      message: `The role of ${functionName} does not allow ${denied.action} on ${denied.resource} (${keys})`,
    };
  });
}
