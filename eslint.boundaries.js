import boundaries from 'eslint-plugin-boundaries';
import { noImportCircle } from './eslint.no-import-circle.js';

/** From the lowest to the highest: each floor of shared imports from itself and from those below it. */
const floors = ['core', 'ledger', 'contract', 'domain', 'http'];

/**
 * What each part of infra imports of the others.
 *
 * @type {Record<string, string[]>}
 */
const infra = {
  bundle: [],
  'open-api': [],
  release: ['open-api'],
  stack: ['bundle'],
  local: ['stack'],
  admin: ['stack', 'local'],
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

/** @param {...string} types of `folders` */
const within = (...types) => ({ element: { type: types } });
/** @param {...string} categories of `boundaries/files` below */
const files = (...categories) => ({ file: { categories } });
/** @param {...string} names */
const packages = (...names) => ({ module: { source: names } });

/** What may import what. A new subject, endpoint or worker changes nothing here; a new floor or part of infra does. */
export default {
  files: ['shared', 'functions', 'infra', 'test'].map((folder) => `${folder}/**/*.ts`),
  plugins: { boundaries, house: { rules: { 'no-import-circle': noImportCircle } } },
  settings: {
    'boundaries/root-path': import.meta.dirname,
    'boundaries/legacy-templates': false,
    'boundaries/elements': Object.entries(folders).map(([type, pattern]) => ({
      type,
      pattern,
      partialMatch: false,
    })),
    'boundaries/files': [
      { category: 'app', pattern: 'infra/app.ts' },
      { category: 'infra', pattern: 'infra/!(app).ts' },
      { category: 'verify', pattern: 'infra/admin/{verify,repair,copy}/**' },
    ],
    // `import('./leads.ts').Lead`, as a type.
    'boundaries/additional-dependency-nodes': [
      { selector: 'TSImportType > Literal', kind: 'type', name: 'import-type' },
    ],
  },
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
          '{{from.file.path}} must not import {{dependency.source}}: eslint.boundaries.js says what may.',
        // The last policy that fits an import decides.
        policies: [
          { allow: { to: { module: { origin: ['external', 'core'] } } } },
          ...floors.map((floor, i) => ({
            from: within(floor),
            allow: { to: within(...floors.slice(0, i + 1)) },
          })),
          { from: within('functions'), allow: { to: within(...floors) } },
          { from: [within(...parts), files('infra')], allow: { to: [within(...floors), files('infra')] } },
          ...parts.map((part) => ({ from: within(part), allow: { to: within(part, ...infra[part]) } })),
          { from: files('app'), allow: { to: [within('bundle', 'open-api', 'stack'), files('infra')] } },
          {
            from: [within('contract', 'domain', 'http', 'functions', ...parts), files('infra')],
            disallow: { to: { element: { type: 'ledger', fileInternalPath: '!index.ts' } } },
            message: 'The ledger has one door, shared/ledger/index.ts: {{dependency.source}} is behind it.',
          },
          // To prove that the ledger is whole, verify reads it as it lies in the table, and repair writes it so; copy does both.
          { from: files('verify'), allow: { to: within('ledger') } },
          { from: within('core', 'contract'), disallow: { to: packages('@aws-sdk/*', '@middy/*') } },
          {
            from: within('contract'),
            // What Node.js has only with its prefix (node:sqlite) is taken for a package.
            disallow: { to: [{ module: { origin: 'core' } }, packages('node:*')] },
          },
          {
            from: within('core', 'contract', 'domain', 'http', 'functions'),
            disallow: { to: packages('@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb') },
            message: 'In shared and functions, only the ledger speaks to DynamoDB.',
          },
          // Where a function's ledger is put together.
          {
            from: { element: { type: 'http', fileInternalPath: 'table.ts' } },
            allow: { to: packages('@aws-sdk/client-dynamodb') },
          },
          { from: within('test'), allow: { to: { module: { origin: '*' } } } },
        ],
      },
    ],
  },
};
