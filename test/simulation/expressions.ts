import { Invalid, NotSimulated } from './errors.ts';

/** A top-level attribute, by its name or by a placeholder such as `#sk`. */
export type Path = { name: string } | { placeholder: string };
/** A path, or a placeholder of a value such as `:seen`. */
export type Operand = Path | { value: string };
export type Comparator = '=' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'exists'; path: Path; expected: boolean }
  | { kind: 'beginsWith'; path: Path; prefix: Operand }
  | { kind: 'compare'; left: Operand; comparator: Comparator; right: Operand }
  | { kind: 'between'; operand: Operand; low: Operand; high: Operand };

export interface Assignment {
  path: Path;
  value: string;
  /** The value is appended to this list, or to the list of this placeholder if there is none. */
  appendedTo?: { path: Path; orElse: string };
}
export interface Update {
  set: Assignment[];
  add: Assignment[];
  remove: Path[];
}

/** A parsed expression, and its placeholders. */
export interface Parsed<Tree> {
  tree: Tree;
  names: ReadonlySet<string>;
  values: ReadonlySet<string>;
}

const comparators: ReadonlySet<string> = new Set<Comparator>(['=', '<', '<=', '>', '>=']);
const isComparator = (text: string): text is Comparator => comparators.has(text);
const functionsNotSimulated = new Set(['attribute_type', 'contains', 'size', 'if_not_exists', 'list_append']);

/** A word or sign of an expression. A `word` is an attribute's name, a function or a keyword. */
interface Token {
  kind: 'word' | 'name' | 'value' | 'sign' | 'end';
  text: string;
}

const space = /\s+/y;
const kinds = [
  ['word', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['name', /#[A-Za-z0-9_]+/y],
  ['value', /:[A-Za-z0-9_]+/y],
  ['sign', /<>|<=|>=|[=<>(),]/y],
] as const;
/** Signs that DynamoDB takes for paths into maps and lists, and for arithmetic. */
const signsNotSimulated = /[.[\]+-]/y;

/** Splits an expression into tokens. */
class Tokens {
  readonly #tokens: Token[];
  #at = 0;

  /** @throws Invalid for a sign that no expression has */
  constructor(expression: string) {
    this.#tokens = tokensOf(expression);
  }

  get next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: 'the end' };
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** True if the next token is this sign. */
  isSign(text: string): boolean {
    return this.next.kind === 'sign' && this.next.text === text;
  }

  /** True if the next token is this keyword, in any case. */
  isKeyword(keyword: string): boolean {
    return this.next.kind === 'word' && this.next.text.toUpperCase() === keyword;
  }

  take(): Token {
    const token = this.next;
    this.#at++;
    return token;
  }

  /** Skips the next token if it is this sign. */
  skipSign(text: string): boolean {
    if (!this.isSign(text)) return false;
    this.#at++;
    return true;
  }

  /** Skips the next token if it is this keyword. */
  skipKeyword(keyword: string): boolean {
    if (!this.isKeyword(keyword)) return false;
    this.#at++;
    return true;
  }

  /** @throws Invalid if the next token is not this sign */
  expectSign(text: string): void {
    if (!this.skipSign(text)) throw this.unexpected();
  }

  /** @throws Invalid if the next token is not this keyword */
  expectKeyword(keyword: string): void {
    if (!this.skipKeyword(keyword)) throw this.unexpected();
  }

  unexpected(): Invalid {
    return new Invalid(`Invalid expression: syntax error at ${this.next.text}`);
  }
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(expression)?.[0];
    at += text?.length ?? 0;
    return text;
  };
  for (;;) {
    take(space);
    if (at >= expression.length) return tokens;
    const found = kinds.some(([kind, pattern]) => {
      const text = take(pattern);
      if (text !== undefined) tokens.push({ kind, text });
      return text !== undefined;
    });
    if (found) continue;
    if (take(signsNotSimulated) !== undefined)
      throw new NotSimulated(`paths and arithmetic, as in ${expression}`);
    throw new Invalid(`Invalid expression: syntax error in ${expression}`);
  }
}

class Parser {
  readonly tokens: Tokens;
  readonly names = new Set<string>();
  readonly values = new Set<string>();

  constructor(expression: string) {
    this.tokens = new Tokens(expression);
  }

  condition(): Condition {
    return this.#joined('or', 'OR', () => this.#joined('and', 'AND', () => this.#single()));
  }

  update(): Update {
    const update: Update = { set: [], add: [], remove: [] };
    const clauses = new Set<string>();
    do {
      const clause = this.tokens.take().text.toUpperCase();
      if (clause === 'DELETE') throw new NotSimulated(`${clause} in an update`);
      if (clause !== 'SET' && clause !== 'ADD' && clause !== 'REMOVE')
        throw new Invalid(`Invalid UpdateExpression: ${clause}`);
      if (clauses.has(clause)) throw new Invalid(`The "${clause}" section can only be used once`);
      clauses.add(clause);
      do {
        const path = this.path();
        if (clause === 'REMOVE') update.remove.push(path);
        else if (clause === 'ADD') update.add.push({ path, value: this.#value() });
        else {
          this.tokens.expectSign('=');
          update.set.push({ path, ...this.#assigned() });
        }
      } while (this.tokens.skipSign(','));
    } while (!this.tokens.isAtEnd);
    return update;
  }

  projection(): Path[] {
    const paths = [this.path()];
    while (this.tokens.skipSign(',')) paths.push(this.path());
    return paths;
  }

  path(): Path {
    const { kind, text } = this.tokens.next;
    if (kind !== 'word' && kind !== 'name') throw this.#unsupported();
    this.tokens.take();
    if (kind === 'word') return { name: text };
    this.names.add(text);
    return { placeholder: text };
  }

  /** A value, or `list_append(if_not_exists(path, :none), :more)`. */
  #assigned(): Omit<Assignment, 'path'> {
    if (!this.tokens.isKeyword('LIST_APPEND')) return { value: this.#value() };
    const open = (name: string) => {
      this.tokens.expectKeyword(name);
      this.tokens.expectSign('(');
    };
    open('LIST_APPEND');
    if (!this.tokens.isKeyword('IF_NOT_EXISTS')) throw new NotSimulated('another list_append');
    open('IF_NOT_EXISTS');
    const path = this.path();
    this.tokens.expectSign(',');
    const orElse = this.#value();
    this.tokens.expectSign(')');
    this.tokens.expectSign(',');
    const value = this.#value();
    this.tokens.expectSign(')');
    return { value, appendedTo: { path, orElse } };
  }

  #value(): string {
    if (this.tokens.next.kind !== 'value') throw this.#unsupported();
    const { text } = this.tokens.take();
    this.values.add(text);
    return text;
  }

  #operand(): Operand {
    return this.tokens.next.kind === 'value' ? { value: this.#value() } : this.path();
  }

  #joined(kind: 'and' | 'or', keyword: string, part: () => Condition): Condition {
    const parts = [part()];
    while (this.tokens.skipKeyword(keyword)) parts.push(part());
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind, parts };
  }

  #single(): Condition {
    if (this.tokens.skipSign('(')) {
      const inner = this.condition();
      this.tokens.expectSign(')');
      return inner;
    }
    if (this.tokens.isKeyword('NOT')) throw this.#unsupported();
    const left = this.#operand();
    if ('name' in left && this.tokens.isSign('(')) return this.#call(left.name);
    if (this.tokens.skipKeyword('BETWEEN')) {
      const low = this.#operand();
      this.tokens.expectKeyword('AND');
      return { kind: 'between', operand: left, low, high: this.#operand() };
    }
    const { text } = this.tokens.next;
    if (!isComparator(text)) throw this.#unsupported();
    this.tokens.take();
    return { kind: 'compare', left, comparator: text, right: this.#operand() };
  }

  #call(name: string): Condition {
    this.tokens.expectSign('(');
    const condition = this.#callOf(name);
    this.tokens.expectSign(')');
    return condition;
  }

  #callOf(name: string): Condition {
    switch (name) {
      case 'attribute_exists':
        return { kind: 'exists', path: this.path(), expected: true };
      case 'attribute_not_exists':
        return { kind: 'exists', path: this.path(), expected: false };
      case 'begins_with': {
        const path = this.path();
        this.tokens.expectSign(',');
        return { kind: 'beginsWith', path, prefix: this.#operand() };
      }
      default:
        if (functionsNotSimulated.has(name)) throw new NotSimulated(`the function ${name}`);
        throw new Invalid(`Invalid function name; function: ${name}`);
    }
  }

  /** Error for syntax that DynamoDB may accept and the simulation does not, or for a mistake. */
  #unsupported(): Error {
    const { text } = this.tokens.next;
    const isKnown = ['IN', 'NOT', '<>'].includes(text.toUpperCase()) || functionsNotSimulated.has(text);
    if (isKnown) return new NotSimulated(text);
    return this.tokens.unexpected();
  }
}

/** Caches parsed expressions: a program has few, and uses them often. */
function remembering<Tree>(parse: (parser: Parser) => Tree): (expression: string) => Parsed<Tree> {
  const known = new Map<string, Parsed<Tree>>();
  return (expression) => {
    const observed = known.get(expression);
    if (observed) return observed;
    const parser = new Parser(expression);
    const tree = parse(parser);
    if (!parser.tokens.isAtEnd) throw parser.tokens.unexpected();
    const parsed = { tree, names: parser.names, values: parser.values };
    known.set(expression, parsed);
    return parsed;
  };
}

/**
 * @throws Invalid for a malformed expression; NotSimulated for syntax that DynamoDB has and the simulation
 * does not
 */
export const parseCondition = remembering((parser) => parser.condition());
export const parseUpdate = remembering((parser) => parser.update());
export const parseProjection = remembering((parser) => parser.projection());
