import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';

/**
 * Draws mutations of the product from a seed, to see what the tests find: `npm run mutate`. Each run with the same seed
 * and commit draws the same mutations. `npm run mutate -- --apply N` makes the N-th mutation in the working tree. The
 * mutated line must be the same there as in the commit.
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '20261125' },
    count: { type: 'string', default: '24' },
    of: { type: 'string', default: 'HEAD' },
    apply: { type: 'string' },
  },
});

interface Mutation {
  file: string;
  /** Line of the original, from 1. */
  line: number;
  /** Whole lines that the mutation is in, before and after. */
  before: string;
  after: string;
}

const opposites: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
};

/** A node's place and the text that replaces it, if a mutation of it can change what the program does. */
function replacement(node: ts.Node, source: ts.SourceFile): { at: ts.Node; by: string } | undefined {
  if (ts.isBinaryExpression(node)) {
    const by = opposites[node.operatorToken.kind];
    return by === undefined ? undefined : { at: node.operatorToken, by };
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const at = ts.isIfStatement(node) ? node.expression : node.condition;
    return { at, by: `!(${at.getText(source)})` };
  }
  if (ts.isNumericLiteral(node)) return { at: node, by: `(${node.text} + 1)` };
  if (node.kind === ts.SyntaxKind.TrueKeyword && !ts.isLiteralTypeNode(node.parent))
    return { at: node, by: 'false' };
  if (node.kind === ts.SyntaxKind.FalseKeyword && !ts.isLiteralTypeNode(node.parent))
    return { at: node, by: 'true' };
  if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node))
    return { at: node.expression, by: ts.isSpreadElement(node) ? '[]' : '{}' };
  if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) return { at: node, by: ';' };
  return undefined;
}

function mutationsOf(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const lines = text.split('\n');
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    const mutation = replacement(node, source);
    if (mutation !== undefined) {
      const [start, end] = [mutation.at.getStart(source), mutation.at.end];
      const first = source.getLineAndCharacterOfPosition(start).line;
      const last = source.getLineAndCharacterOfPosition(end).line;
      const before = lines.slice(first, last + 1).join('\n');
      const column = start - source.getPositionOfLineAndCharacter(first, 0);
      const after = before.slice(0, column) + mutation.by + before.slice(column + end - start);
      found.push({ file, line: first + 1, before, after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const files = git('ls-tree', '-r', '--name-only', options.of, 'shared', 'functions')
  .split('\n')
  .filter((file) => file.endsWith('.ts'));
const all = files.flatMap((file) => mutationsOf(file, git('show', `${options.of}:${file}`)));
const { random } = seededRandom(Number(options.seed));
const drawn = Array.from({ length: Number(options.count) }, () => all[Math.floor(random() * all.length)]!);

if (options.apply === undefined) {
  process.stdout.write(`${all.length} places in ${files.length} files.\n`);
  for (const [at, { file, line, before, after }] of drawn.entries())
    process.stdout.write(`\n${at + 1}. ${file}:${line}\n- ${before.trim()}\n+ ${after.trim()}\n`);
} else {
  const { file, line, before, after } = drawn[Number(options.apply) - 1]!;
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.splice(line - 1, before.split('\n').length, after).join('\n');
  if (found !== before) throw new Error(`${file}:${line} is no longer: ${before}`);
  writeFileSync(file, lines.join('\n'));
}
