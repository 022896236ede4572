import type { Business } from './business.ts';
import { newCast, type Cast } from './cast.ts';
import { monday, tuesday, wednesday } from './days/first-half.ts';
import { friday, mondayAfter, saturday, sunday, thursday } from './days/second-half.ts';

/** Days of the story in order. Another day can be added anywhere, with its effects in the expected lists. */
const days: readonly ((cast: Cast) => Promise<void>)[] = [
  monday,
  tuesday,
  wednesday,
  thursday,
  friday,
  saturday,
  sunday,
  mondayAfter,
];

/** Founds the business and plays its week. A copy of its records follows it at the end of each day. */
export async function playWeek(business: Business): Promise<Cast> {
  const cast = await newCast(business);
  for (const day of days) {
    await day(cast);
    await business.follow();
  }
  return cast;
}
