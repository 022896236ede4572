import type { Scope } from '../contract/scopes.ts';
import type { FunctionPrincipal } from '../ledger/index.ts';
import { secretBox, secretMaker } from './outside/secrets.ts';

/** The sender of a request that makes tokens, with the parts that make tokens and secrets. */
export const makerFor = (principal: FunctionPrincipal, scopes: readonly Scope[]) => ({
  ...principal,
  scopes,
  ...secretMaker,
  seal: principal.request && ((text: string) => secretBox.encrypt(principal.organization, text)),
});
