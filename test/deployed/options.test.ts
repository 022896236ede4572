import { describe, expect, test } from 'vitest';
import { LocalError } from '../../infra/local/local-error.ts';
import { parseOptions } from './options.ts';

const rest = { keep: false, files: [] };
const help = '"npm run test:deployed -- --help" shows how it is used';
const prodRefused =
  'The tests write to the table of prod, or of a stage like prod, beside what is real: add --allow-prod if that is meant.';
const notProd = `--allow-prod belongs to --stage prod, to a stage like prod, or to a table of the stack of prod: ${help}.`;

describe('the options', () => {
  test.each([
    ['--stage dev', { choice: { stage: 'dev', allowProd: false }, ...rest }],
    [
      '--stage dev --keep leads faqs',
      { choice: { stage: 'dev', allowProd: false }, keep: true, files: ['leads', 'faqs'] },
    ],
    ['--stage prod --allow-prod', { choice: { stage: 'prod', allowProd: true }, ...rest }],
    ['--stage staging', { choice: { stage: 'staging', allowProd: false }, ...rest }],
    ['--stage staging --allow-prod', { choice: { stage: 'staging', allowProd: true }, ...rest }],
    [
      '--stage dev --url https://a.example/b/',
      { choice: { stage: 'dev', allowProd: false, url: 'https://a.example/b' }, ...rest },
    ],
    ['--url http://a.example --table T', { choice: { url: 'http://a.example', table: 'T' }, ...rest }],
    [
      '--url http://a.example --table SalesPipeline-prod-restored --allow-prod',
      { choice: { url: 'http://a.example', table: 'SalesPipeline-prod-restored' }, ...rest },
    ],
    [
      '--url http://a.example --table SalesPipeline-production',
      { choice: { url: 'http://a.example', table: 'SalesPipeline-production' }, ...rest },
    ],
    ['--help', undefined],
  ])('%s', (args, options) => {
    expect(parseOptions(args.split(' '))).toEqual(options);
  });

  test.each([
    ['', `Say which stack: --stage dev, or --url and --table: ${help}.`],
    ['--url https://a.example', `Say which stack: --stage dev, or --url and --table: ${help}.`],
    ['--table T', `Say which stack: --stage dev, or --url and --table: ${help}.`],
    [
      '--stage Test',
      '--stage must be 1 to 16 lower-case letters and digits, first a letter, such as staging, not "Test".',
    ],
    ['--stage local', `The stage local is never deployed: ${help}.`],
    ['--stage dev --table T', '--stage and --table cannot be combined: the stack names its table.'],
    ['--stage prod', prodRefused],
    ['--url http://a.example --table SalesPipeline-prod-restored', prodRefused],
    [
      '--url http://a.example --table arn:aws:dynamodb:us-east-1:000000000000:table/SalesPipeline-prod',
      prodRefused,
    ],
    ['--stage dev --allow-prod', notProd],
    ['--url http://a.example --table T --allow-prod', notProd],
    [
      '--stage dev --url a.example',
      '--url must be the address of an API, such as https://api.example.com, not "a.example".',
    ],
    [
      '--stage dev --url https://a.example?b',
      '--url must be the address of an API, such as https://api.example.com, not "https://a.example?b".',
    ],
    ['--url https://a.example --table=', '--table must name a table.'],
    ['--stgae dev', `Unknown option '--stgae': ${help}.`],
  ])('%s is refused in one sentence', (args, sentence) => {
    expect(() => parseOptions(args.split(' ').filter(Boolean))).toThrow(new LocalError(sentence));
  });
});
