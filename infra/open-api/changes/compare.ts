import { Changes, judge, type Change } from './change.ts';
import { operationsOf, restOfPaths, sameIn, type Description } from './description.ts';
import { differingKeys, objectOf } from './json.ts';
import { OperationComparison } from './operations.ts';

/** What is said of the API as a whole, where a change has no operation. */
export const wholeApi = 'The API';

/**
 * Every change between two descriptions that a client can notice: what breaks one, what cannot be judged, and
 * what is new. Sentences, examples and the version are left out.
 */
export function compareDescriptions(before: Description, after: Description): Change[] {
  const changes = new Changes();
  const [old, now] = [operationsOf(before), operationsOf(after)];
  const comparison = new OperationComparison(before, after, changes);
  for (const [route, operation] of old) {
    const other = now.get(route);
    if (other) comparison.compare(operation, other);
    else
      changes.tell(
        'break',
        operation.name,
        `${operation.route} is removed. Clients call it: keep it, and add the new one beside it.`,
      );
  }
  for (const [route, { name, route: shown }] of now)
    if (!old.has(route)) changes.tell('addition', name, `${shown} is new.`);
  compareRest(before, after, changes);
  return changes.all();
}

/** What stands beside the operations. */
function compareRest(before: Description, after: Description, changes: Changes): void {
  const schemes = [before, after].map(({ components }) => objectOf(objectOf(components)['securitySchemes']));
  const [old = {}, now = {}] = schemes;
  // A scheme that is new harms no one: what an operation asks for is compared with the operation.
  const differing = differingKeys(old, now, []).filter((name) => name in old);
  for (const name of differing)
    changes.tell('unjudged', wholeApi, `the security scheme ${name} is another. ${judge}`);
  for (const path of differingKeys(restOfPaths(before), restOfPaths(after), [], sameIn(before, after)))
    changes.tell('unjudged', wholeApi, `${path} says something else beside its operations. ${judge}`);
  for (const key of differingKeys(before, after, [
    'info',
    'tags',
    'paths',
    'components',
    'security',
    'servers',
  ]))
    changes.tell('unjudged', wholeApi, `${key} is another. ${judge}`);
}
