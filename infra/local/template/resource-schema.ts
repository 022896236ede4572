import * as v from 'valibot';

export const string = v.string();

/** Schema of tags, which this machine ignores. */
export const Tags = v.optional(v.array(v.object({ Key: string, Value: string })));

/**
 * Schema of one type of resource, with the properties that this machine needs. Drops the other properties.
 */
export const resource = <const Type extends string, P extends v.GenericSchema>(type: Type, properties: P) =>
  v.object({ Type: v.literal(type), Properties: properties });
