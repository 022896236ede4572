/** Returns a function that keeps its last result for calls with the same argument. Do not change the result. */
export function memoizeLast<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { argument: Argument; result: Result } | undefined;
  return (argument) => {
    if (!last || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
