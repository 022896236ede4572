import type { Command } from 'commander';
import * as v from 'valibot';
import { SynthesisError } from '../../synthesis-error.ts';
import { optionsOf, type Stage } from '../../stack/stage.ts';
import type { StageFile } from '../../stack/settings-schema.ts';
import { AdminError } from '../admin-error.ts';
import { addPlainCommand, type CommandDependencies, type CommandResult } from '../command.ts';
import { columns } from '../output.ts';
import { deployedStage } from '../target.ts';
import { parseOptions } from '../values.ts';
import type { Answer } from './check.ts';

const Values = v.pipe(
  v.object({
    stage: deployedStage,
    context: v.pipe(
      v.optional(
        v.array(
          v.pipe(
            v.string(),
            v.regex(/^(?!stage=)\w+=/, 'must be a setting with its value, such as requestsPerSecond=20'),
          ),
        ),
        [],
      ),
      v.transform((all) => Object.fromEntries(all.map((one) => settingIn(one)))),
    ),
    local: v.optional(v.boolean(), false),
    table: v.optional(v.string()),
  }),
  v.check(
    ({ local, table }) => !local && table === undefined,
    'An account is asked, not a table: say --stage, without --local and --table',
  ),
);

/** Name and value of `name=value`. */
function settingIn(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name, value.join('=')];
}

/** Adds `preflight`. */
export function addPreflight(root: Command, dependencies: Pick<CommandDependencies, 'print'>): void {
  addPlainCommand(
    root,
    {
      name: 'preflight',
      summary: 'Ask an AWS account what would stop the deployment of a stage',
      details:
        'The command only reads, with the credentials of AWS_PROFILE in AWS_REGION. It prints a line for each check. "fine" ' +
        'needs nothing. "mind" does not stop the deployment, but you should know it. "stops" stops the deployment. "unseen" ' +
        'could not be checked. The exit code is 0 if every line is fine or mind. The settings come from ' +
        'infra/stack/stages.ts, and from -c.',
      usage: '--stage STAGE',
      options: [
        [
          '-c, --context <name=value>',
          'a setting that the deployment gets, too, as "cdk deploy -c" does; may be repeated',
          'repeated',
        ],
      ],
      examples: [
        'preflight --stage prod',
        'preflight --stage dev -c sms=false -c requestsPerSecond=20',
        'preflight --stage staging -c like=prod',
      ],
    },
    dependencies,
    async (typed) => {
      const { stage, context } = parseOptions(Values, typed);
      return preflight(stage, context);
    },
  );
}

type Line = Answer & { name: string };

async function preflight(stage: Stage, context: Record<string, string>): Promise<CommandResult> {
  // Loaded here, because other commands need neither the CDK nor the clients of a dozen services.
  const [{ checks }, { Unseen, withAccount }, { settingsOf }, { stageFileOf }] = await Promise.all([
    import('./checks.ts'),
    import('./account.ts'),
    import('../../stack/settings-schema.ts'),
    import('../../stack/stages.ts'),
  ]);
  const lines: Line[] = [];
  let settings = stageFile(() => stageFileOf(stage, context['like']));
  try {
    settings = settingsOf(settings, context);
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    // The other lines then follow from the settings in the file.
    lines.push({ name: 'Settings', state: 'stops', sentence: error.message });
  }
  const answerOf = (asked: Promise<Answer>): Promise<Answer> =>
    asked.catch((error: unknown) => {
      if (!(error instanceof Unseen)) throw error;
      return { state: 'unseen', sentence: `it cannot be seen: ${error.message}` };
    });
  const asked = await withAccount(async (account, principal) => {
    const { id, region } = account;
    const other = otherThan(settings, account);
    lines.push({
      name: 'Account',
      ...(other ?? { state: 'fine', sentence: `${id}, ${region}, as ${principal}` }),
    });
    // Resources of another account tell nothing about the account of the stage.
    const needed = checks.filter(({ isNeeded }) => !other && isNeeded?.(settings) !== false);
    const answers = needed.map(async ({ name, ask }) => ({
      name,
      ...(await answerOf(ask({ stage, settings, account }))),
    }));
    lines.push(...(await Promise.all(answers)));
    return { account: id, region };
  });
  const bad = lines.filter(({ state }) => state === 'stops' || state === 'unseen');
  const last =
    bad.length === 0
      ? `Nothing stops "npx cdk deploy --all ${optionsOf(stage, settings.like)}".`
      : `${bad.length} of ${lines.length} lines stop the deployment, or could not be seen.`;
  return {
    lines: [...columns(lines.map(({ state, name, sentence }) => [state, name, sentence])), '', last],
    json: { stage, ...asked, checks: lines },
    hasFindings: bad.length > 0,
  };
}

/** Settings of a stage. @throws AdminError if it is unclear whose settings it takes */
function stageFile(find: () => StageFile): StageFile {
  try {
    return find();
  } catch (error) {
    if (error instanceof SynthesisError) throw new AdminError(`${error.message}.`);
    throw error;
  }
}

const stops = (sentence: string): Answer => ({ state: 'stops', sentence });

/** Says that the settings name another account or region than the credentials. */
function otherThan(
  settings: Pick<StageFile, 'account' | 'region'>,
  { id, region }: { id: string; region: string },
): Answer | undefined {
  if (settings.account !== undefined && settings.account !== id)
    return stops(`the credentials are of ${id}, but the stage is for ${settings.account}: set AWS_PROFILE`);
  if (settings.region !== undefined && settings.region !== region)
    return stops(`AWS_REGION is ${region}, but the stage is for ${settings.region}: set AWS_REGION`);
  return undefined;
}
