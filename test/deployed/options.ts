import { parseArgs } from 'node:util';
import { argumentMistake } from '../../infra/argument-mistake.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { tableNameOf } from '../../infra/stack/resource-names.ts';
import { deployedStages, type DeployedStage } from '../../infra/stack/stage.ts';

/** Stack to test: the stack of a stage, at its own address or another address, or an API and its table. */
export type Choice = { stage: DeployedStage; url?: string } | { url: string; table: string };

export interface DeployedOptions {
  choice: Choice;
  /** True if the organizations are to stay in the table. */
  keep: boolean;
  /**
   * Parts of paths: a test file is run if its path contains one of them. All files are run if there are none.
   */
  files: string[];
}

export const usage = `Runs the functional tests against a deployed stack, in organizations of their own.

  npm run test:deployed -- (--stage STAGE | --url URL --table NAME) [options] [file …]

  --stage STAGE   the stack of a stage, dev or prod, in AWS_REGION and with the credentials of AWS_PROFILE
  --url URL       where its API is; with --stage, another address than the stack names, such as its own domain
  --table NAME    its table, in AWS_REGION and with the credentials of AWS_PROFILE
  --allow-prod    needed with --stage prod, and with a table of that stack
  --keep          leave the organizations in the table
  file            only test files whose path contains this, such as leads
  --help          this text

It founds organizations whose names begin with "Test", straight in the table, and removes them in the end. It sends
no SMS. test/deployed/left-out.ts names the tests that it leaves out, and why.
`;

const hint = '"npm run test:deployed -- --help" shows how it is used';

/** Parses the arguments. Undefined if help is asked for. @throws LocalError that names the mistake */
export function parseOptions(args: readonly string[]): DeployedOptions | undefined {
  const { values, positionals } = parse([...args]);
  const { stage, url, table, keep } = values;
  if (values.help) return undefined;
  const rest = { keep, files: positionals };
  if (stage === undefined) {
    if (url === undefined || table === undefined)
      throw new LocalError(`Say which stack: --stage dev, or --url and --table: ${hint}.`);
    if (table === '') throw new LocalError('--table must name a table.');
    checkAllowed(isOfProd(table), values['allow-prod']);
    return { choice: { url: addressIn(url), table }, ...rest };
  }
  const known = deployedStages.find((one) => one === stage);
  if (!known) throw new LocalError(`--stage must be one of ${deployedStages.join(', ')}, not "${stage}".`);
  if (table !== undefined)
    throw new LocalError('--stage and --table cannot be combined: the stack names its table.');
  checkAllowed(known === 'prod', values['allow-prod']);
  return { choice: { stage: known, ...(url !== undefined && { url: addressIn(url) }) }, ...rest };
}

/** True for the table of `prod`, or a restored table of it, given by its name or by its ARN. */
const isOfProd = (table: string): boolean =>
  `${table.slice(table.lastIndexOf('/') + 1)}-`.startsWith(`${tableNameOf('prod')}-`);

function checkAllowed(prod: boolean, allowed: boolean): void {
  if (prod && !allowed)
    throw new LocalError(
      'The tests write to the table of prod, beside what is real: add --allow-prod if that is meant.',
    );
  if (allowed && !prod)
    throw new LocalError(`--allow-prod belongs to --stage prod, or to a table of that stack: ${hint}.`);
}

/** Address of an API, without a slash at its end. */
function addressIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new LocalError(
      `--url must be the address of an API, such as https://api.example.com, not "${text}".`,
    );
  return url.href.replace(/\/+$/, '');
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        stage: { type: 'string' },
        url: { type: 'string' },
        table: { type: 'string' },
        'allow-prod': { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: ${hint}.`);
  }
}
