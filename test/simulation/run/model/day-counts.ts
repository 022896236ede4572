/** How many forms that come by one key are stored in a day: so few that some are refused. */
export const maxFormsPerDay = 12;

const day = 86_400_000;

/** The name of the item that counts something of the day (UTC) of a moment. */
export const dayCountName = (code: string, counted: string, at: number): string =>
  `ORG#${code}#DAY ${counted}#${new Date(at).toISOString().slice(0, 10)}`;

/** The second in which a count of the day of a moment may vanish: that day and another one are over. */
export const expiryOf = (at: number): number => ((Math.floor(at / day) + 2) * day) / 1000;
