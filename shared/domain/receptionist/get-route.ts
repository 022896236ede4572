import type { FoundRoute, Route, SaidRoute } from '../../contract/transfer-route.ts';
import type { Ledger } from '../../ledger/index.ts';
import { say } from '../calendar/say.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { members } from '../members/members.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { transfers } from '../transfers/transfers.ts';
import { chooseRoute } from './route.ts';

/**
 * Route of a call about a topic at a time, in epoch milliseconds. An empty topic means any topic. One round trip.
 * @throws Failure `notFound`
 */
export async function getRoute(ledger: Ledger, topic: string, at: number): Promise<FoundRoute> {
  const [[organization, { timeZone }], rules, people] = await Promise.all([
    ledger.getBoth(organizationRef, timeZoneRef),
    ledger.all(transfers),
    ledger.all(members),
  ]);
  const byNumber = new Map(people.map((member) => [member.id, member]));
  const route = chooseRoute(rules, topic, byNumber, { ...organization, timeZone }, at);
  return { say: sentenceOf(route, timeZone), route: route ?? null };
}

/** Route as a voice tells it. */
export const sayRoute = ({ say, route }: FoundRoute): SaidRoute => ({
  say,
  isReachable: route !== null && route.isReachable && route.number !== '',
  transferId: route?.transferId ?? null,
  number: route?.number ?? '',
});

/** Sentence that tells a caller whether the call can be put through. */
function sentenceOf(route: Route | undefined, timeZone: string): string {
  if (!route) return 'There is nobody to put you through to. I can take a message.';
  const { destinationName, number, isReachable, reachableFrom } = route;
  if (number === '')
    return `I cannot put you through to ${destinationName || 'anybody'}. I can take a message.`;
  if (isReachable)
    return destinationName === ''
      ? 'I can put you through now.'
      : `I can put you through to ${destinationName} now.`;
  const until = reachableFrom === null ? '' : ` until ${say(timeZone, Date.parse(reachableFrom))}`;
  return destinationName === ''
    ? `Nobody can be reached${until}. I can take a message.`
    : `${destinationName} cannot be reached${until}. I can take a message.`;
}
