import { isDeepStrictEqual } from 'node:util';
import type { MachineClock } from './clock.ts';
import type { Environments } from './environments.ts';
import { FunctionHost } from './function-host.ts';
import type { Outcome } from './function-messages.ts';
import { variablesOf } from './function-variables.ts';
import { Gateway } from './gateway.ts';
import { LocalError } from './local-error.ts';
import type { Template } from './template/template.ts';
import type { Access } from './logs/access-log.ts';

/** A running template: its functions by name, and its API. */
export interface Running {
  template: Template;
  hosts: ReadonlyMap<string, FunctionHost>;
  gateway: Gateway;
}

/** Dependencies of every template that runs. */
export interface RuntimeDependencies {
  environments: Environments;
  /** Endpoints of the services that functions call. */
  endpoints: { dynamodb: string; sms: string };
  clock: MachineClock;
  invoke: (host: FunctionHost, event: unknown) => Promise<Outcome>;
  recordAccess: (access: Access) => void;
}

/** Runs a template. Unchanged functions keep running; changed ones finish their invocations. */
export function runTemplate(
  template: Template,
  before: ReadonlyMap<string, FunctionHost>,
  { environments, endpoints, clock, invoke, recordAccess }: RuntimeDependencies,
): Running {
  const hosts = new Map(
    template.functions.map((definition) => {
      const known = before.get(definition.name);
      const host = isDeepStrictEqual(known?.definition, definition) ? known : undefined;
      return [
        definition.name,
        host ?? new FunctionHost(definition, environments, variablesOf(definition, endpoints), clock),
      ];
    }),
  );
  for (const [name, host] of before) if (hosts.get(name) !== host) void host.retire();
  const invokeNamed = (name: string, event: unknown) => {
    const host = hosts.get(name);
    if (!host) throw new LocalError(`The template routes to ${name}, a function that it does not define`);
    return invoke(host, event);
  };
  const now = () => clock.now();
  const gateway = new Gateway(template, invokeNamed, now, recordAccess);
  return { template, hosts, gateway };
}
