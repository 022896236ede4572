import { LocalError } from '../local-error.ts';

/**
 * Value of an expression at one point in time: of a series, where it can be missing, or of a number, where it
 * cannot.
 */
export type Value = { series: number | undefined } | { scalar: number };

/** A parsed expression of CloudWatch's metric math. Evaluates to a value, given the values of its metrics. */
export interface Expression {
  /** Metrics and other expressions that it names. */
  ids: string[];
  evaluate: (valueOf: (id: string) => number | undefined) => number | undefined;
}

type Node = (valueOf: (id: string) => number | undefined) => Value;

const operators: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
};

/** Operators by precedence, the lowest first. */
const levels = [
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
];

/**
 * Parses an expression of `IF`, `FILL` with a number, arithmetic, comparisons, numbers and ids.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 * @throws LocalError for any other, since an alarm must not only seem to be watched
 */
export function parseExpression(text: string): Expression {
  const refuse = (what: string): never => {
    throw new LocalError(`The local machine cannot evaluate ${text}: ${what}`);
  };
  const tokens = text.match(/\d+(?:\.\d+)?|\w+|[=!<>]=|[^\s]/g) ?? [];
  const ids = new Set<string>();
  let at = 0;
  const take = (wanted: string) => {
    if (tokens[at] !== wanted) refuse(`${wanted} is missing before ${tokens[at] ?? 'the end'}`);
    at++;
  };

  function operation(level = 0): Node {
    const known = levels[level];
    if (!known) return operand();
    let left = operation(level + 1);
    for (let token = tokens[at]; token !== undefined && known.includes(token); token = tokens[at]) {
      at++;
      left = combined(operators[token] ?? refuse(`it has ${token}`), left, operation(level + 1));
    }
    return left;
  }

  function operand(): Node {
    const token = tokens[at++] ?? refuse('it ends too early');
    if (token === '(') return closed(operation());
    if (/^\d/.test(token)) return () => ({ scalar: Number(token) });
    if (token === 'IF') return closed(condition(after('('), after(','), after(',')));
    if (token === 'FILL') return closed(filled(after('('), after(',')));
    if (!/^[a-z]\w*$/.test(token)) return refuse(`it has ${token}`);
    ids.add(token);
    return (valueOf) => ({ series: valueOf(token) });
  }

  /** Parses the operation that follows a token. */
  function after(token: string): Node {
    take(token);
    return operation();
  }

  function closed(node: Node): Node {
    take(')');
    return node;
  }

  const node = operation();
  if (at < tokens.length) refuse(`it goes on with ${tokens[at] ?? ''}`);
  if (ids.size === 0) refuse('it names no metric');
  return { ids: [...ids], evaluate: (valueOf) => numberOf(node(valueOf)) };
}

const numberOf = (value: Value) => ('scalar' in value ? value.scalar : value.series);

/**
 * Combines two values. If one of two series lacks a value, it counts as 0. A division by 0 gives no value.
 */
function combined(operator: (a: number, b: number) => number, left: Node, right: Node): Node {
  return (valueOf) => {
    const [a, b] = [left(valueOf), right(valueOf)];
    if ('scalar' in a && 'scalar' in b) return { scalar: operator(a.scalar, b.scalar) };
    const [x, y] = [numberOf(a), numberOf(b)];
    const areBothSeries = 'series' in a && 'series' in b;
    if (areBothSeries ? x === undefined && y === undefined : x === undefined || y === undefined)
      return { series: undefined };
    const result = operator(x ?? 0, y ?? 0);
    return { series: Number.isFinite(result) ? result : undefined };
  };
}

/**
 * Evaluates `IF`. There is no value if the condition has none. A series without a value counts as 0 if the
 * condition holds.
 */
function condition(given: Node, whenTrue: Node, whenFalse: Node): Node {
  return (valueOf) => {
    const holds = numberOf(given(valueOf));
    if (holds === undefined) return { series: undefined };
    return { series: holds === 0 ? numberOf(whenFalse(valueOf)) : (numberOf(whenTrue(valueOf)) ?? 0) };
  };
}

const filled =
  (series: Node, filler: Node): Node =>
  (valueOf) => ({ series: numberOf(series(valueOf)) ?? numberOf(filler(valueOf)) });
