import { foreignNames, inSomeCase, someUniqueWord, type Planner } from '../planner.ts';

/** Calling code of a country, and the first digits of the mobile numbers that clients write there. */
const nationOf = (country: string) => (country === 'NZ' ? ['64', '2112'] : ['61', '4915']);

/** A phone number in one of the ways that clients write it; sometimes an invalid one. */
export function somePhone({ draw, organization, variety }: Planner): string {
  const [nation, area] = nationOf(organization.country);
  const digits = String(draw.whole(0, variety)).padStart(5, '0');
  if (draw.happens(0.05)) return '12345';
  return draw.pick([`0${area}${digits}`, `+${nation}${area}${digits}`, `+${nation} ${area} ${digits}`]);
}

/** A phone number of `somePhone` in its stored form, E.164; undefined for an invalid number. */
export function storedNumber(written: string, country: string): string | undefined {
  const [nation] = nationOf(country);
  const number = written.replaceAll(' ', '').replace(/^0/, `+${nation}`);
  return /^\+(614915|642112)\d{5}$/.test(number) ? number : undefined;
}

/** An email address that other leads may have too. */
export const someEmail = (planner: Planner): string =>
  inSomeCase(
    planner,
    `ann${planner.draw.pick(['', '+'])}${planner.draw.whole(1, planner.variety)}@example.com`,
  );

/** An id in another system that other leads may have too. Case counts. */
export const someExternalId = (planner: Planner): string =>
  planner.draw.happens(0.3)
    ? someUniqueWord(planner)
    : inSomeCase(planner, `crm-${planner.draw.whole(1, planner.variety)}`);

export const someFirstName = ({ draw }: Planner): string =>
  `${draw.happens(0.4) ? 'Ann' : draw.pick(foreignNames)}${draw.whole(1, 99)}`;

export const someLastName = ({ draw }: Planner): string =>
  draw.pick(['', 'Lee', 'de la Cruz', 'Ólafsdóttir', `Annan${draw.whole(1, 9)}`]);
