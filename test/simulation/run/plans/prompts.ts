import type { ConfigurationReader } from '../../../../shared/ledger/index.ts';
import { knowledgeOf, type Knowledge } from '../../../../shared/domain/receptionist/knowledge.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { combinations, distinct, maxStates } from './availability.ts';

/** Collections that a prompt is made of. */
const collections = ['ORGANIZATION', 'POLICY', 'SERVICE', 'PRODUCT', 'FAQ', 'SCENARIO'];

/**
 * Prompts made of values that the records had from a version on: each prompt of one value of every record. Undefined if
 * they are too many to compare. The service's own function makes the prompts. The function has separate tests.
 */
export function promptsSince(organization: OrganizationModel, version: number): Knowledge[] | undefined {
  const records = collections.flatMap((collection) =>
    organization.numbersOf(collection).map((number) => {
      const spans = organization.history(organization.nameOf(collection, number)).spansFrom(version);
      return { collection, values: distinct(spans.map(({ stored }) => stored?.fields)) };
    }),
  );
  if (records.reduce((count, { values }) => count * values.length, 1) > maxStates) return undefined;
  return combinations(records.map(({ values }) => values)).map((state) => {
    const all = ({ name }: { name: string }) =>
      state.filter((record, at) => record !== undefined && records[at]!.collection === name);
    return knowledgeOf(all as ConfigurationReader);
  });
}
