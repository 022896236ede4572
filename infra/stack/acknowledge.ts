import { Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/**
 * Gives the reasons why findings of cdk-nag stay in a construct and its children. Keys are the ids of
 * findings. Only a test reads the reasons (test/infra/stack/nag.full.test.ts): they do not change the template.
 */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}
