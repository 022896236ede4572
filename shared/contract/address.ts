import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';
import { line } from './fields.ts';

/** Place of a lead or of an appointment: docs/reference/leads.md, Address. A text that was never given is empty. */
export const Address = v.strictObject({
  line1: v.string(),
  line2: v.string(),
  suburb: v.string(),
  state: v.string(),
  postcode: v.string(),
  country: v.string(),
  access: v.string(),
});
export type Address = v.InferOutput<typeof Address>;

/** Suburb of an address. A lead and its address have the same suburb. */
export const suburb = line(100);

/** Address in a body. Parts that are left out stay, or are empty in a new record. */
export const NewAddress = v.strictObject({
  line1: v.optional(line(200)),
  line2: v.optional(line(200)),
  suburb: v.optional(suburb),
  state: v.optional(line(100)),
  postcode: v.optional(line(20)),
  country: v.optional(line(100)),
  access: v.optional(line(500)),
} satisfies Record<keyof Address, unknown>);
export type NewAddress = v.InferOutput<typeof NewAddress>;

/** False if a body gives a lead and its address different suburbs. */
export const hasOneSuburb = ({
  suburb,
  address,
}: {
  suburb?: string | undefined;
  address?: NewAddress | undefined;
}) => suburb === undefined || address?.suburb === undefined || suburb === address.suburb;
export const twoSuburbs = 'must be the suburb of `address`, if both are given';

/** An empty address. */
export const noAddress: Address = {
  line1: '',
  line2: '',
  suburb: '',
  state: '',
  postcode: '',
  country: '',
  access: '',
};

export const descriptions = {
  Address: {
    is: 'A place where work is done. A text that was never given is empty',
    fields: {
      line1: 'The street and number, such as `12 Bay Street`',
      line2: 'More lines of the address, such as a unit or a building',
      suburb: 'The suburb or town',
      state: 'The state or region',
      postcode: 'The postcode',
      country: 'The country',
      access: 'How to get in, such as the code of a gate',
    },
  },
  NewAddress: {
    is: 'An address, as a body has it. Parts that a change leaves out stay',
    like: 'Address',
  },
} satisfies Descriptions;
