interface Template {
  method: string;
  path: string;
}

/** Methods that `ANY` stands for. */
const anyMethod = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

const isGreedy = (segment: string) => segment.endsWith('+}');
const isVariable = (segment: string) => segment.startsWith('{');

/**
 * Segments of a path. Empty ones do not count: `/leads/`, `//leads` and `/leads` are one resource.
 *
 * - For slashes at the end and at the beginning: https://github.com/floci-io/floci/issues/1557 and
 *   https://github.com/localstack/localstack/issues/11253, both tried on AWS.
 * - For slashes in between, no source was found. This machine treats them in the same way.
 */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

/**
 * Finds the most specific route that matches a request. Segment by segment, a fixed one comes before a
 * variable, and a variable before `{proxy+}`. A less specific path can answer a method that a more specific
 * one lacks, as on AWS: https://github.com/ministackorg/ministack/pull/1423,
 * https://github.com/floci-io/floci/pull/3399.
 */
export function findRoute<R extends Template>(
  routes: readonly R[],
  method: string,
  path: string,
): R | undefined {
  const given = segmentsOf(path);
  const fitting = routes.filter((route) => hasMethod(route, method) && fits(segmentsOf(route.path), given));
  return fitting.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

const hasMethod = (route: Template, method: string) =>
  route.method === method || (route.method === 'ANY' && anyMethod.includes(method));

/** Sort key of a route. The smallest is the most specific. */
const rank = ({ path, method }: Template) =>
  [
    ...segmentsOf(path).map((segment) => (isGreedy(segment) ? 2 : isVariable(segment) ? 1 : 0)),
    method === 'ANY' ? 1 : 0,
  ].join('');

function fits(wanted: string[], given: string[]): boolean {
  const greedy = wanted.findIndex(isGreedy);
  if (greedy >= 0 ? given.length <= greedy : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => isVariable(segment) || segment === given[at]);
}

/**
 * Values of a path's variables, decoded once after the route was found, so that a value can contain `%2F`.
 * Undefined if one is not valid percent-encoding.
 *
 * API Gateway also decodes the values, and leaves the path itself undecoded:
 * https://github.com/middleapi/standard-server/pull/93.
 */
export function pathVariables(template: string, path: string): Record<string, string> | undefined {
  const given = segmentsOf(path);
  try {
    const variables = segmentsOf(template).flatMap((segment, at): [string, string][] => {
      if (!isVariable(segment)) return [];
      const value = isGreedy(segment) ? given.slice(at).join('/') : (given[at] ?? '');
      return [[segment.replaceAll(/[{+}]/g, ''), decodeURIComponent(value)]];
    });
    return Object.fromEntries(variables);
  } catch {
    return undefined;
  }
}
