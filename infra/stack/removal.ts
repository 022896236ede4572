import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from './stage.ts';

/**
 * Policy of a resource with data: in `dev` it is deleted with the stack. In other stages it outlives the
 * stack, unless the deployment that created it failed.
 */
export const removalPolicyOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
