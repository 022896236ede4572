import type { OxlintOverride } from 'oxlint';

/** Floors of `shared`, the lowest first. Each imports from itself and from those before it. */
const floors = ['core', 'ledger', 'contract', 'domain', 'http'];

/** Other parts of infra that each part may import. */
const infra: Record<string, string[]> = {
  bundle: [],
  'open-api': [],
  release: ['open-api'],
  site: ['open-api'],
  trades: [],
  stack: ['bundle'],
  local: ['stack', 'trades'],
  admin: ['stack', 'local', 'trades'],
};
const parts = Object.keys(infra);

const folders = {
  core: 'shared/core',
  ledger: 'shared/ledger',
  contract: 'shared/contract',
  domain: 'shared/domain/*',
  http: 'shared/http',
  functions: 'functions',
  ...Object.fromEntries(parts.map((part) => [part, `infra/${part}`])),
  test: 'test',
};

/** @param types of `folders` */
const within = (...types: string[]) => ({ element: { type: types } });
/** @param categories of `boundaries/files` below */
const files = (...categories: string[]) => ({ file: { categories } });
const packages = (...names: string[]) => ({ module: { source: names } });

/** Parts of the repository, for the plugin. */
export const boundarySettings = {
  'boundaries/legacy-templates': false,
  'boundaries/elements': Object.entries(folders).map(([type, pattern]) => ({
    type,
    pattern,
    partialMatch: false,
  })),
  'boundaries/files': [
    { category: 'app', pattern: 'infra/{app,pipeline}.ts' },
    { category: 'infra', pattern: 'infra/!(app|pipeline).ts' },
    { category: 'verify', pattern: 'infra/admin/{table,verify,repair,copy}/**' },
  ],
  // Covers a type such as `import('./leads.ts').Lead`.
  'boundaries/additional-dependency-nodes': [
    { selector: 'TSImportType > Literal', kind: 'type', name: 'import-type' },
  ],
};

/**
 * Rules for imports. A new subject, endpoint or worker changes nothing here; a new floor or part of infra
 * does.
 */
export const boundaries: OxlintOverride = {
  files: ['shared', 'functions', 'infra', 'test'].map((folder) => `${folder}/**/*.ts`),
  rules: {
    'boundaries/no-unknown-files': 'error',
    'boundaries/dependencies': [
      'error',
      {
        default: 'disallow',
        checkAllOrigins: true,
        checkInternals: true,
        checkUnknownLocals: true,
        message:
          '{{from.file.path}} must not import {{dependency.source}}: test/lint/boundaries.ts says what may.',
        // The last policy that matches an import decides.
        policies: [
          { allow: { to: { module: { origin: ['external', 'core'] } } } },
          ...floors.map((floor, i) => ({
            from: within(floor),
            allow: { to: within(...floors.slice(0, i + 1)) },
          })),
          { from: within('functions'), allow: { to: within(...floors) } },
          { from: [within(...parts), files('infra')], allow: { to: [within(...floors), files('infra')] } },
          ...parts.map((part) => ({
            from: within(part),
            allow: { to: within(part, ...(infra[part] ?? [])) },
          })),
          {
            from: files('app'),
            allow: { to: [within('bundle', 'open-api', 'site', 'stack'), files('infra')] },
          },
          {
            from: [within('contract', 'domain', 'http', 'functions', ...parts), files('infra')],
            disallow: { to: { element: { type: 'ledger', fileInternalPath: '!index.ts' } } },
            message:
              'Import shared/ledger/index.ts instead of {{dependency.source}}, which is internal to the ledger.',
          },
          // table and verify read the items of the table directly, repair writes them directly, and copy does both.
          { from: files('verify'), allow: { to: within('ledger') } },
          {
            from: within('core', 'contract', 'domain'),
            disallow: { to: packages('@aws-sdk/*', '@middy/*') },
          },
          {
            from: within('contract'),
            // A module that exists only with its prefix, such as node:sqlite, counts as a package.
            disallow: { to: [{ module: { origin: 'core' } }, packages('node:*')] },
          },
          {
            from: within('core', 'contract', 'domain', 'http', 'functions'),
            disallow: { to: packages('@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb') },
            message: 'In shared and functions, only the ledger speaks to DynamoDB.',
          },
          // This file makes the DynamoDB client of the functions.
          {
            from: { element: { type: 'http', fileInternalPath: 'outside/table.ts' } },
            allow: { to: packages('@aws-sdk/client-dynamodb') },
          },
          { from: within('test'), allow: { to: { module: { origin: '*' } } } },
        ],
      },
    ],
  },
};
