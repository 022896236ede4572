import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * Forbids that folders side by side import each other in a circle, if only for types. The rules that exist for
 * circles compare files: they miss two folders that need each other by different files.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const noFolderCircle = {
  meta: {
    type: 'problem',
    // The folder that they lie in, from the root.
    schema: [{ type: 'string' }],
    messages: { circle: 'Folders must not import each other in a circle: {{circle}}.' },
  },
  create(context) {
    /** @type {{ 'boundaries/root-path'?: string }} */
    const { 'boundaries/root-path': root = context.cwd } = context.settings;
    const parent = join(root, String(context.options[0]));
    const own = childOf(parent, context.filename);
    if (own === undefined) return {};

    // Read again for each file that is linted: an editor lints for hours, and any file may have changed.
    /** @type {Map<string, Set<string>>} */
    const imports = new Map();
    /** @param {string} child */
    const importsOf = (child) => {
      const known = imports.get(child) ?? childrenImportedBy(parent, child);
      imports.set(child, known);
      return known;
    };

    /**
     * @param {string} child
     * @param {Set<string>} seen
     * @returns {string[] | undefined}
     */
    const wayBack = (child, seen) => {
      if (child === own) return [child];
      if (seen.has(child)) return undefined;
      seen.add(child);
      for (const next of importsOf(child)) {
        const way = wayBack(next, seen);
        if (way) return [child, ...way];
      }
      return undefined;
    };

    /** @param {{ source?: import('estree').Expression | null }} node */
    const check = ({ source }) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const child = importedChild(parent, context.filename, source.value);
      if (child === undefined || child === own) return;
      const way = wayBack(child, new Set());
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

/**
 * The folder in `parent` that `path` lies in.
 *
 * @param {string} parent
 * @param {string} path
 */
function childOf(parent, path) {
  const [child, ...rest] = relative(parent, path).split(sep);
  return child === '..' || rest.length === 0 ? undefined : child;
}

/**
 * @param {string} parent
 * @param {string} file
 * @param {string} specifier
 */
function importedChild(parent, file, specifier) {
  return specifier.startsWith('.') ? childOf(parent, join(dirname(file), specifier)) : undefined;
}

/**
 * @param {string} parent
 * @param {string} child
 */
function childrenImportedBy(parent, child) {
  /** @type {Set<string>} */
  const imported = new Set();
  const folder = join(parent, child);
  // An import that is being typed may name a folder that is not there.
  if (!existsSync(folder)) return imported;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = join(folder, name);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      const other = importedChild(parent, file, fileName);
      if (other !== undefined && other !== child) imported.add(other);
    }
  }
  return imported;
}
