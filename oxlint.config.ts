import { defineConfig } from 'oxlint';
import { boundaries, boundarySettings } from './test/lint/boundaries.ts';

/** Rules of the category "suspicious" that refuse what this code does on purpose. */
const otherTaste = [
  'no-new',
  'no-shadow',
  'no-underscore-dangle',
  'no-unmodified-loop-condition',
  'typescript/consistent-return',
  'typescript/no-unsafe-type-assertion',
];

/** Further rules. Most of them know the types. */
const further = [
  'no-array-constructor',
  'no-case-declarations',
  'no-console',
  'no-empty',
  'no-empty-function',
  'no-fallthrough',
  'no-prototype-builtins',
  'no-regex-spaces',
  'no-useless-assignment',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  ...[
    'adjacent-overload-signatures',
    'array-type',
    'ban-ts-comment',
    'class-literal-property-style',
    'consistent-generic-constructors',
    'consistent-indexed-object-style',
    'consistent-type-definitions',
    'no-confusing-void-expression',
    'no-deprecated',
    'no-dynamic-delete',
    'no-empty-object-type',
    'no-explicit-any',
    'no-inferrable-types',
    'no-invalid-void-type',
    'no-misused-promises',
    'no-namespace',
    'no-non-null-assertion',
    'no-require-imports',
    'no-unnecessary-condition',
    'no-unsafe-argument',
    'no-unsafe-assignment',
    'no-unsafe-call',
    'no-unsafe-function-type',
    'no-unsafe-member-access',
    'no-unsafe-return',
    'non-nullable-type-assertion-style',
    'only-throw-error',
    'prefer-find',
    'prefer-for-of',
    'prefer-function-type',
    'prefer-includes',
    'prefer-optional-chain',
    'prefer-promise-reject-errors',
    'prefer-reduce-type-parameter',
    'prefer-regexp-exec',
    'prefer-return-this-type',
    'prefer-string-starts-ends-with',
    'related-getter-setter-pairs',
    'require-await',
    'restrict-plus-operands',
    'return-await',
    'switch-exhaustiveness-check',
    'unified-signatures',
    'use-unknown-in-catch-callback-variable',
  ].map((name) => `typescript/${name}`),
];

const time = {
  selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
  message: 'Take the time from a System.',
};

export default defineConfig({
  // The types are checked in the same run.
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['eslint', 'typescript', 'oxc'],
  jsPlugins: ['./test/lint/house.ts', 'eslint-plugin-boundaries'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    ...Object.fromEntries(otherTaste.map((name) => [name, 'off' as const])),
    ...Object.fromEntries(further.map((name) => [name, 'error' as const])),
    'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    // In a request, an empty string counts as not given.
    'typescript/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
    'house/doc-comments': 'error',
    'house/plain-words': 'error',
  },
  settings: boundarySettings,
  overrides: [
    boundaries,
    {
      files: ['shared/**', 'functions/**', 'infra/**', 'test/simulation/**', 'test/support/**'],
      rules: { 'house/no-import-circle': 'error' },
    },
    {
      // The local machine moves the clock of functions by replacing Date.now.
      files: ['shared/**', 'functions/**'],
      rules: { 'house/restricted-syntax': ['error', time] },
    },
    {
      // The catalogue is the one place that spells the names of events: `recordEvent` takes them from there.
      // This block replaces the rule of the block for `shared`, so it has `time`, too.
      files: ['shared/domain/**'],
      excludeFiles: ['shared/domain/events/**'],
      rules: {
        'house/restricted-syntax': [
          'error',
          time,
          {
            selector: "CallExpression[callee.property.name='event']",
            message: 'Append events by `recordEvent`.',
          },
        ],
      },
    },
    {
      // What a function has of the outside stands in one folder, which the simulation replaces.
      files: ['shared/**', 'functions/**'],
      excludeFiles: ['shared/http/outside/**', 'shared/core/system.ts'],
      rules: {
        'no-restricted-properties': [
          'error',
          { object: 'process', property: 'env', message: 'Take settings from shared/http/outside.' },
          { object: 'Date', property: 'now', message: 'Take the time from a System.' },
        ],
      },
    },
    {
      // Test files share the modules of their process, so such a hook would run for the first file alone.
      files: ['test/**'],
      excludeFiles: ['test/**/*.test.ts', 'test/support/vitest/each-file.ts'],
      rules: {
        'house/restricted-syntax': [
          'error',
          {
            selector:
              'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(All|Each)$/]',
            message: 'Call hooks in a function that each test file calls, or use `atFileEnd`.',
          },
        ],
      },
    },
    {
      files: ['test/**'],
      rules: {
        'typescript/consistent-type-assertions': 'off',
        'typescript/no-non-null-assertion': 'off',
        'typescript/require-array-sort-compare': 'off',
      },
    },
  ],
});
