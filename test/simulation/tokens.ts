import { Invalid, NotSimulated } from './errors.ts';

/** A word or sign of an expression. A `word` is an attribute's name, a function or a keyword. */
export interface Token {
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
export class Tokens {
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
