import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseSync } from 'vite';
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

const opposites: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** Node of a syntax tree, as far as mutations need it. */
interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

const isNode = (part: unknown): part is Node => typeof part === 'object' && part !== null && 'type' in part;

/** Text that replaces a part of a program. */
interface Replacement {
  start: number;
  end: number;
  by: string;
}

/** A node's place and the text that replaces it, if a mutation of it can change what the program does. */
function replacement(node: Node, parent: Node, text: string): Replacement | undefined {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = String(node['operator']);
      const start = text.indexOf(operator, (node['left'] as Node).end);
      const by = opposites[operator];
      return by === undefined ? undefined : { start, end: start + operator.length, by };
    }
    case 'IfStatement':
    case 'ConditionalExpression': {
      const { start, end } = node['test'] as Node;
      return { start, end, by: `!(${text.slice(start, end)})` };
    }
    case 'Literal': {
      const { value, start, end } = node;
      if (typeof value === 'number') return { start, end, by: `(${value} + 1)` };
      return typeof value === 'boolean' ? { start, end, by: String(!value) } : undefined;
    }
    case 'SpreadElement': {
      const { start, end } = node['argument'] as Node;
      return { start, end, by: parent.type === 'ObjectExpression' ? '{}' : '[]' };
    }
    case 'ExpressionStatement':
      return typeof (node['expression'] as Node)['value'] === 'string'
        ? undefined
        : { start: node.start, end: node.end, by: ';' };
    default:
      return undefined;
  }
}

/** Parts of TypeScript that are expressions. All others are types, which the running program has not. */
const typedExpressions = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'];

function mutationsOf(file: string, text: string): Mutation[] {
  const found: Mutation[] = [];
  const visit = (node: Node, parent: Node) => {
    if (node.type === 'ImportDeclaration') return;
    if (node.type.startsWith('TS') && !typedExpressions.includes(node.type)) return;
    const mutation = replacement(node, parent, text);
    if (mutation !== undefined) {
      const { start, end, by } = mutation;
      const from = text.lastIndexOf('\n', start - 1) + 1;
      const to = text.indexOf('\n', end);
      found.push({
        file,
        line: text.slice(0, start).split('\n').length,
        before: text.slice(from, to),
        after: text.slice(from, start) + by + text.slice(end, to),
      });
    }
    for (const part of Object.values(node).flat()) if (isNode(part)) visit(part, node);
  };
  const { program } = parseSync(file, text);
  const tree = program as unknown as Node;
  visit(tree, tree);
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
