import type { Method } from './endpoint.ts';

/** Method and path that a public function answers. Variables have the same form as in the path of an endpoint. */
export interface PublicRoute {
  readonly method: Method;
  readonly path: string;
}

interface Definition {
  /** Name in kebab-case: `functions/public/serve-site.ts` for `serve-site`. */
  readonly name: string;
  /** One sentence about its work. */
  readonly summary: string;
  readonly routes: readonly PublicRoute[];
}

export type PublicFunction = Definition & { readonly kind: 'public function' };

/**
 * Defines a function for routes that are not operations of the API, as data: pages, and the tools for agents. Anyone
 * may call the function without a token, so its role reaches neither the table nor another service. `serve-site` is
 * exported as `serveSiteFunction`.
 * @__NO_SIDE_EFFECTS__
 */
export function publicFunction<const D extends Definition>(
  definition: D,
): D & { readonly kind: 'public function' } {
  return { ...definition, kind: 'public function' };
}
