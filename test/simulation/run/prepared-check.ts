import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import type { CommittedWrite } from '../dynamodb.ts';
import { promptsSince } from './plans/prompts.ts';
import { same } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * True for a text that is prepared from the configuration. The text follows from no single version of the
 * organization.
 */
export const isPrepared = (pk: string): boolean => /^ORG#\w{8}#PREPARED$/.test(pk);

/**
 * Checks a prepared text that is being stored. The text names the state of the configuration that it is made of, and is
 * made of nothing older.
 * @throws Violation
 */
export function checkPrepared(world: World, { key, after }: CommittedWrite): void {
  const organization = world.organizations.get(key.pk.slice('ORG#'.length, 'ORG#'.length + 8));
  if (!organization || !after) throw new Violation('A prepared text must be of an organization', key, after);
  const { madeFrom, text } = toItem(after) as { madeFrom: string; text: string };
  organization.prepared.add(text);
  const [epoch, configuration] = madeFrom.split(' ');
  const version = Number(configuration);
  const prompts = promptsSince(organization, version);
  const isNamed = epoch === organization.epoch && version <= organization.configuration;
  const isOfIt = prompts?.some((prompt) => same(prompt, JSON.parse(text))) ?? true;
  if (!isNamed || !isOfIt)
    throw new Violation('A prepared text must be made of the configuration that it names', prompts, {
      madeFrom,
      text,
      configuration: organization.configuration,
    });
}
