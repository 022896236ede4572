import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import boundaries from './test/lint/boundaries.js';
import { docComments } from './test/lint/doc-comments.js';
import { noImportCircle } from './test/lint/no-import-circle.js';
import { pages, plainWords } from './test/lint/plain-words.js';

export default defineConfig(
  { ignores: ['node_modules', 'cdk.out', '.data', 'coverage'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: ['*.js', 'test/lint/*.js', 'infra/installed.js', 'infra/run-script.js'],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // In a request, an empty string counts as not given.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // Reading index signatures with brackets keeps a typo in a known name an error.
      '@typescript-eslint/dot-notation': 'off',
      // The compiler forbids enumerations, and private members keep classes apart. The two rules took a seventh of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-console': 'error',
    },
  },
  boundaries,
  {
    plugins: {
      house: {
        rules: {
          'doc-comments': docComments,
          'no-import-circle': noImportCircle,
          'plain-words': plainWords,
        },
      },
    },
    rules: { 'house/doc-comments': 'error', 'house/plain-words': 'error' },
  },
  { files: ['**/*.md'], processor: pages },
  {
    files: ['shared/**', 'functions/**', 'infra/**', 'test/simulation/**', 'test/support/**'],
    rules: { 'house/no-import-circle': 'error' },
  },
  {
    // The local machine moves the clock of functions by replacing Date.now.
    files: ['shared/**', 'functions/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Take the time from a System.',
        },
      ],
    },
  },
  {
    // What a function has of the outside stands in one folder, which the simulation replaces.
    files: ['shared/**', 'functions/**'],
    ignores: ['shared/http/outside/**', 'shared/core/system.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Take settings from shared/http/outside.' },
        { object: 'Date', property: 'now', message: 'Take the time from a System.' },
      ],
    },
  },
  {
    // The catalogue is the one place that spells the names of events: `recordEvent` takes them from there.
    // This block replaces the rule of the block for `shared`, so it repeats the selector of that block.
    files: ['shared/domain/**'],
    ignores: ['shared/domain/events/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='event']",
          message: 'Append events by `recordEvent`.',
        },
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Take the time from a System.',
        },
      ],
    },
  },
  {
    // Test files share the modules of their process, so such a hook would run for the first file alone.
    files: ['test/**'],
    ignores: ['test/**/*.test.ts', 'test/support/vitest/each-file.ts'],
    rules: {
      'no-restricted-syntax': [
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
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.md/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: false } },
  },
);
