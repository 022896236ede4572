import * as v from 'valibot';

/**
 * Refuses query parameters that exclude each other, and names them. A parameter of `alone` excludes every other
 * parameter. Parameters of `others` can be combined with each other. `hint` says what goes together.
 */
export const exclusive = <Query extends Record<string, unknown>>(
  alone: readonly (keyof Query & string)[],
  others: readonly (keyof Query & string)[] = [],
  hint = '',
) =>
  v.rawCheck<Query>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    const isGiven = (name: keyof Query & string) => input[name] !== undefined;
    const given = [...alone, ...others].filter(isGiven);
    if (given.length < 2 || !alone.some(isGiven)) return;
    for (const key of given) {
      const excludes = alone.includes(key) ? given : given.filter((name) => alone.includes(name));
      const rest = excludes.filter((name) => name !== key).join(' or ');
      addIssue({
        message: `cannot be combined with ${rest}${hint}`,
        path: [{ type: 'object', origin: 'value', input, key, value: input[key] }],
      });
    }
  });
