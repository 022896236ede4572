import * as v from 'valibot';

/** A resource of one type as the template describes it: what this machine needs to know, the rest left out. */
export const resource = <const Type extends string, P extends v.GenericSchema>(type: Type, properties: P) =>
  v.object({ Type: v.literal(type), Properties: properties });
