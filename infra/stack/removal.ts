import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from './stage.ts';

/** In `dev` it goes with the stack. Elsewhere it outlives the stack, unless the deployment that made it failed. */
export const removalPolicyOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
