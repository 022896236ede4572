import { AsyncLocalStorage } from 'node:async_hooks';
import type { System } from '../../../shared/core/system.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import type { Request } from './plan.ts';

/** Execution environment of an invocation. */
export interface Serving {
  readonly isDead: boolean;
  /** Milliseconds that its clock is ahead. */
  readonly skew: number;
  readonly store: Store;
  readonly system: System;
  /** Counts an await of the running code, after which the environment may die. */
  noteAwait: () => void;
}

/** A request, and the environment that serves it. */
export interface Invocation {
  environment: Serving;
  request: Request;
}

/** Request under way, for all code that runs on its behalf. */
export const invocations = new AsyncLocalStorage<Invocation>();

/** @throws Error outside a request, because functions may act only for one */
export function currentInvocation(): Invocation {
  const invocation = invocations.getStore();
  if (!invocation) throw new Error('No request is under way');
  return invocation;
}
