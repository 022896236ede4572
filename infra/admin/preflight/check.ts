import type { StageFile } from '../../stack/settings-schema.ts';
import type { Stage } from '../../stack/stage.ts';
import type { Account } from './account.ts';

/** Answer to a check. `mind`: the deployment works, but something else will not work until it is changed. */
export interface Answer {
  state: 'fine' | 'mind' | 'stops' | 'unseen';
  sentence: string;
}

/** Stage to deploy, and the account to deploy it into. */
export interface Plan {
  stage: Stage;
  settings: StageFile;
  account: Account;
}

/** Question about an account. The answer may stop the deployment. */
export interface Check {
  name: string;
  /** True if the check concerns a stage with these settings. Undefined: the check concerns every stage. */
  isNeeded?: (settings: StageFile) => boolean;
  ask: (plan: Plan) => Promise<Answer>;
}

export const fine = (sentence: string): Answer => ({ state: 'fine', sentence });
export const mind = (sentence: string): Answer => ({ state: 'mind', sentence });
export const stops = (sentence: string): Answer => ({ state: 'stops', sentence });
