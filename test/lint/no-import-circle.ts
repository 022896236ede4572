import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Rule } from './rule.ts';

/** Specifier of an import. Only a literal has a value. */
interface Source {
  range: [number, number];
  value?: unknown;
}

/**
 * Forbids that the files and folders of a folder import each other in a circle, even for types alone. Then no files do,
 * wherever they are. `import-x/no-cycle` compares only files, and ignores imports of types.
 *
 * The folders at the root are not compared: `test/lint/boundaries.ts` orders them.
 */
export const noImportCircle: Rule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { circle: 'Files and folders must not import each other in a circle: {{circle}}.' },
  },
  create(context) {
    const { cwd: root, filename: file } = context;
    const check = (node: object) => {
      const { source } = node as { source?: Source | null };
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const target = join(dirname(file), source.value);
      const folder = commonFolder(file, target);
      if (target === file || relative(root, folder) === '' || relative(root, folder).startsWith('..')) return;
      const own = childOf(folder, file);
      const way = wayBack(folder, childOf(folder, target), own);
      if (way)
        context.report({ node: source, messageId: 'circle', data: { circle: [own, ...way].join(' → ') } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};

/** Finds how a child of a folder imports another one, if it does. */
function wayBack(
  folder: string,
  from: string,
  to: string,
  visited = new Set<string>(),
): string[] | undefined {
  if (from === to) return [to];
  if (visited.has(from)) return undefined;
  visited.add(from);
  for (const next of siblingsImportedBy(folder, from)) {
    const way = wayBack(folder, next, to, visited);
    if (way) return [from, ...way];
  }
  return undefined;
}

/** @param child a file or a folder */
function siblingsImportedBy(folder: string, child: string) {
  const targets = filesIn(join(folder, child)).flatMap(importsOf);
  const inFolder = targets.filter((target) => target.startsWith(folder + sep));
  return new Set(inFolder.map((target) => childOf(folder, target)).filter((sibling) => sibling !== child));
}

function filesIn(path: string): string[] {
  // An import that is being typed may name a file that is not there.
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}

/** The imports of each file, until it is changed: an editor lints for hours. */
const cache = new Map<string, { changedAt: number; imports: string[] }>();

function importsOf(file: string): string[] {
  const { mtimeMs: changedAt } = statSync(file);
  const cached = cache.get(file);
  if (cached?.changedAt === changedAt) return cached.imports;
  const specifiers = readFileSync(file, 'utf8').matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g);
  const imports = Array.from(specifiers, ([, specifier = '']) => join(dirname(file), specifier));
  cache.set(file, { changedAt, imports });
  return imports;
}

/** The deepest folder that both paths are in. */
function commonFolder(one: string, other: string): string {
  let folder = dirname(one);
  while (!other.startsWith(folder + sep)) folder = dirname(folder);
  return folder;
}

/** The file or folder in `folder` that `path` is, or is in. */
function childOf(folder: string, path: string): string {
  const [child = ''] = relative(folder, path).split(sep);
  return child;
}
