import type { Route } from './template.ts';

const isVariable = (segment: string) => segment.startsWith('{');

/** The route of a request. If several paths fit, a fixed segment wins over a variable. */
export function findRoute(routes: readonly Route[], method: string, path: string): Route | undefined {
  const fitting = routes.filter((route) => route.method === method && fits(route.path, path));
  const rank = ({ path: template }: Route) =>
    template
      .split('/')
      .map((segment) => (isVariable(segment) ? '1' : '0'))
      .join('');
  return fitting.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

function fits(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return false;
  return wanted.every((segment, at) => (isVariable(segment) ? given[at] !== '' : segment === given[at]));
}

/** The decoded values of a template's variables; undefined if one is not valid percent-encoding. */
export function pathVariables(template: string, path: string): Record<string, string> | undefined {
  const given = path.split('/');
  try {
    const variables = template.split('/').flatMap((segment, at): [string, string][] => {
      return isVariable(segment) ? [[segment.slice(1, -1), decodeURIComponent(given[at] ?? '')]] : [];
    });
    return Object.fromEntries(variables);
  } catch {
    return undefined;
  }
}
