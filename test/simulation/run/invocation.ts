import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from './environment.ts';
import type { Request } from './request.ts';

/** A request in the environment that serves it. */
export interface Invocation {
  environment: Environment;
  request: Request;
}

/** The request under way, for whatever runs on its behalf. */
export const invocations = new AsyncLocalStorage<Invocation>();

/** @throws Error where no request is under way: a function may act for a request alone */
export function currentInvocation(): Invocation {
  const invocation = invocations.getStore();
  if (!invocation) throw new Error('No request is under way');
  return invocation;
}
