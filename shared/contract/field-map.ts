/** Fields of a lead that a form can fill. */
export const leadFieldNames = [
  'name',
  'firstName',
  'lastName',
  'email',
  'phone',
  'suburb',
  'businessName',
] as const;
export type LeadFieldName = (typeof leadFieldNames)[number];

/** Targets of a mapping. */
export const mappedNames = [...leadFieldNames, 'message', 'externalInquiryId'] as const;
export type MappedName = (typeof mappedNames)[number];

/** Mapping of a field of a form. */
export interface Mapping {
  to: MappedName;
  /** Path of the form's field, with dots; `*` stands for any one part. */
  path: string;
}

const isMappedName = (name: string): name is MappedName => mappedNames.some((each) => each === name);

/** Parses `email:contact.mail,name:contact.name`. Undefined if the syntax is wrong. */
export function parseFieldMap(text: string): Mapping[] | undefined {
  const pairs = text.split(',').map((pair): Mapping | undefined => {
    const at = pair.indexOf(':');
    const [to, path] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    return at > 0 && isMappedName(to) && path !== '' ? { to, path } : undefined;
  });
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}
