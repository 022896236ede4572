import * as v from 'valibot';

/** Text that a model gives. */
export const textArgument = (description: string) => v.pipe(v.string(), v.description(description));
/** Text that a model may leave out. */
export const optionalText = (description: string) => v.optional(textArgument(description));

/** Id of a record that stands in a path. */
export const idArgument = (description: string) =>
  v.pipe(v.string(), v.regex(/^\w+$/, 'must be an id'), v.description(description));

export const numberArgument = (description: string) =>
  v.pipe(v.number(), v.integer(), v.description(description));

/** Arguments of a tool that lists. */
export const pageArgument = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));
