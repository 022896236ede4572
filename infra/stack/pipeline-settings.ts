import * as v from 'valibot';
import { SynthesisError } from '../synthesis-error.ts';
import { settingsIn } from './settings-schema.ts';
import { canBeDeployed, isStageName, models, ownStages, stageRule, type Model, type Stage } from './stage.ts';
import { stageSettings } from './stages.ts';

const repositoryRule =
  'must be the repository as GitHub names it in the claim sub, such as acme@123456/sales@456789, or acme/sales if it is older than July 2026';
const stagesRule =
  'must be names of stages with a comma between them, each once. A stage without settings of its own says which stage it ' +
  `is like, such as dev,staging:prod,prod. Each name ${stageRule}`;

/** Reads `dev`, or `staging:prod`. Undefined if this names no stage, or not one stage that it is like. */
function namedStage(text: string): { stage: Stage; like: Model } | undefined {
  const [stage = '', given, ...rest] = text.split(':');
  if (!isStageName(stage) || !canBeDeployed(stage) || rest.length > 0) return undefined;
  const own = ownStages.find((name) => name === stage);
  if (own !== undefined) return given === undefined ? { stage, like: stageSettings[own].like } : undefined;
  const like = models.find((name) => name === given);
  return like && { stage, like };
}

const Settings = v.object({
  /**
   * Repository that may assume the roles. Since July 2026, the claim of a new repository has the ids of its owner and
   * of itself. Nobody then gets the roles by a name that became free.
   * https://docs.github.com/en/actions/reference/security/oidc
   */
  repository: v.pipe(
    v.string(repositoryRule),
    v.regex(/^[\w.-]+(@\d+\/[\w.-]+@\d+|\/[\w.-]+)$/, repositoryRule),
  ),
  /** Stages of the account that the pipeline deploys. */
  stages: v.pipe(
    v.string(stagesRule),
    v.transform((text) => text.split(',').map(namedStage)),
    v.array(v.object({ stage: v.string(), like: v.picklist(models) }, stagesRule)),
    v.checkItems(({ stage }, at, all) => all.findIndex((one) => one.stage === stage) === at, stagesRule),
    v.readonly(),
  ),
  /** `make` makes GitHub's identity provider. An account has the provider once, and `keep` uses it. */
  provider: v.picklist(['make', 'keep'], 'must be make, or keep if the account has the identity provider'),
});
export type PipelineSettings = v.InferOutput<typeof Settings>;

/**
 * Settings of the pipeline's stack, given as `-c name=value`.
 *
 * @param context everything that the app was given: settings, and the CDK's own values
 * @throws SynthesisError for a setting that is missing, unknown or invalid
 */
export function pipelineSettingsOf(context: unknown): PipelineSettings {
  const given = settingsIn(context);
  const names = Object.keys(Settings.entries);
  const unknown = given.find(([name]) => !names.includes(name));
  if (unknown)
    throw new SynthesisError(
      `There is no setting ${unknown[0]} of the pipeline, but there are: ${names.join(', ')}`,
    );
  const usual = { repository: '', stages: 'dev,prod', provider: 'make' };
  const result = v.safeParse(Settings, { ...usual, ...Object.fromEntries(given) });
  if (result.success) return result.output;
  const [{ path, message }] = result.issues;
  throw new SynthesisError(`The ${String(path?.[0]?.key)} ${message}`);
}
