import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from './environment.ts';
import type { Request } from './request.ts';

/** A request, and the environment that serves it. */
export interface Invocation {
  environment: Environment;
  request: Request;
}

/** Request under way, for all code that runs on its behalf. */
export const invocations = new AsyncLocalStorage<Invocation>();

/** @throws Error outside a request, since functions may act only for one */
export function currentInvocation(): Invocation {
  const invocation = invocations.getStore();
  if (!invocation) throw new Error('No request is under way');
  return invocation;
}
