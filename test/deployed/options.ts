import { parseArgs } from 'node:util';
import { argumentMistake } from '../../infra/argument-mistake.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { tableNameOf } from '../../infra/stack/resource-names.ts';
import { canBeDeployed, isStageName, stageRule, type Model, type Stage } from '../../infra/stack/stage.ts';

/**
 * Stack to test: the stack of a stage, at its own address or another address, or an API and its table. `allowProd`: a
 * stage of this name may be like `prod`.
 */
export type Choice = { stage: Stage; url?: string; allowProd: boolean } | { url: string; table: string };

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

  --stage STAGE   the stack of a stage, such as dev, in AWS_REGION and with the credentials of AWS_PROFILE
  --url URL       where its API is; with --stage, another address than the stack names, such as its own domain
  --table NAME    its table, in AWS_REGION and with the credentials of AWS_PROFILE
  --allow-prod    needed with --stage prod, with a stage like prod, and with a table of the stack of prod
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
  if (!isStageName(stage)) throw new LocalError(`--stage ${stageRule}, not "${stage}".`);
  if (!canBeDeployed(stage)) throw new LocalError(`The stage ${stage} is never deployed: ${hint}.`);
  if (table !== undefined)
    throw new LocalError('--stage and --table cannot be combined: the stack names its table.');
  const allowProd = values['allow-prod'];
  // Only its stack says what a stage of another name is like.
  if (stage === 'dev' || stage === 'prod') checkModel(stage, allowProd);
  return { choice: { stage, allowProd, ...(url !== undefined && { url: addressIn(url) }) }, ...rest };
}

/** True for the table of `prod`, or a restored table of it, given by its name or by its ARN. */
const isOfProd = (table: string): boolean =>
  `${table.slice(table.lastIndexOf('/') + 1)}-`.startsWith(`${tableNameOf('prod')}-`);

/** @throws LocalError if a stage is like `prod` and that is not allowed, or the other way round */
export const checkModel = (model: Model, allowed: boolean): void => {
  checkAllowed(model === 'prod', allowed);
};

function checkAllowed(prod: boolean, allowed: boolean): void {
  if (prod && !allowed)
    throw new LocalError(
      'The tests write to the table of prod, or of a stage like prod, beside what is real: add --allow-prod if that is meant.',
    );
  if (allowed && !prod)
    throw new LocalError(
      `--allow-prod belongs to --stage prod, to a stage like prod, or to a table of the stack of prod: ${hint}.`,
    );
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
