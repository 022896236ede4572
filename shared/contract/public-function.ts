import type { Method } from './endpoint.ts';

/** Method and path that a public function answers. Variables of the path are written as those of an endpoint. */
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
 * Defines a function whose routes are no operations of the API, as data: pages, and the door for agents. Anyone
 * may call it without a token, so its role reaches neither the table nor another service. `serve-site` is exported as
 * `serveSiteFunction`.
 * @__NO_SIDE_EFFECTS__
 */
export function publicFunction<const D extends Definition>(
  definition: D,
): D & { readonly kind: 'public function' } {
  return { ...definition, kind: 'public function' };
}
