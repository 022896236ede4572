import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Says why findings of cdk-nag stay in a construct and what it contains, by their names. The tests alone look for
 * findings: test/infra/stack/nag.test.ts. Nothing of this is in the template.
 */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}
