import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';
import { headKey } from './keys.ts';

/** A new head, in a record of the table's stream, that names records of a collection. */
export interface NamingHead {
  organization: OrganizationCode;
  version: number;
  /** Numbers of the records that the head names. */
  numbers: number[];
}

const { sk: headSk } = headKey(v.parse(OrganizationCode, '00000000'));

/**
 * Lambda event filter for records of the stream that hold a head with names of records of a collection.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
 */
export const namingHeadPattern = (collection: string) => ({
  dynamodb: {
    Keys: { sk: { S: [headSk] } },
    NewImage: { named: { M: { [collection]: { S: [{ exists: true }] } } } },
  },
});

const Image = v.object({
  pk: v.object({
    S: v.pipe(
      v.string(),
      v.transform((pk) => pk.replace(/^ORG#/, '')),
      OrganizationCode,
    ),
  }),
  version: v.object({ N: v.pipe(v.string(), v.transform(Number), v.number()) }),
  named: v.object({ M: v.record(v.string(), v.object({ S: v.string() })) }),
});

/** Parses the new image of a stream record that matches the pattern. @throws ValiError for any other image */
export function parseNamingHead(collection: string, image: unknown): NamingHead {
  const { pk, version, named } = v.parse(Image, image);
  const numbers = named.M[collection]?.S.split(' ').map(Number) ?? [];
  return { organization: pk.S, version: version.N, numbers };
}
