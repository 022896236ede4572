/**
 * The same function, which computes nothing when it is called again with the argument of its last call. The result must not
 * be changed.
 */
export function memoizeLast<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { argument: Argument; result: Result } | undefined;
  return (argument) => {
    if (!last || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
