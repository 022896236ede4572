import * as v from 'valibot';
import { timeZoneNamed } from '../core/time-zones.ts';
import { endpoint } from './endpoint.ts';
import { filledLine, line, readOnlyFields, socials, website } from './fields.ts';
import {
  Holiday,
  holidayList,
  NewWeekHours,
  noHours,
  TimeFormat,
  Weekday,
  WeekHours,
} from './opening-hours.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'organization';

/** An organization as the API shows it: docs/reference/organization.md, Organization. */
export const Organization = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^org_[0-9A-HJKMNP-TV-Z]{8}$/)),
  name: v.string(),
  businessPhone: v.string(),
  website: v.string(),
  socials: v.record(v.string(), v.string()),
  timeZone: v.string(),
  country: v.string(),
  currency: v.string(),
  timeFormat: TimeFormat,
  weekStart: Weekday,
  openingHours: WeekHours,
  holidays: v.array(Holiday),
  onCallHours: WeekHours,
  areasServed: v.array(v.string()),
});
export type Organization = v.InferOutput<typeof Organization>;

export const timeZoneRule = 'must be the name of a time zone, such as Australia/Sydney';

/** Turns a name of a time zone, in upper or lower case, into the zone's preferred name. */
export const timeZoneInput = v.pipe(line(100), v.transform(timeZoneNamed), v.string(timeZoneRule));

const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code);

/** Body of a change of an organization. Fields that are left out stay. */
export const OrganizationChanges = v.strictObject({
  name: v.optional(filledLine(200)),
  businessPhone: v.optional(line(40)),
  website: v.optional(website),
  socials: v.optional(socials),
  timeZone: v.optional(timeZoneInput),
  country: v.optional(line(100)),
  currency: v.optional(
    v.pipe(
      v.string(),
      v.check(isCurrency, 'must be the three letters of a currency (ISO 4217), such as AUD'),
      v.metadata({ pattern: '^[A-Z]{3}$' }),
    ),
  ),
  timeFormat: v.optional(TimeFormat),
  weekStart: v.optional(Weekday),
  openingHours: v.optional(NewWeekHours),
  holidays: v.optional(holidayList),
  onCallHours: v.optional(NewWeekHours),
  areasServed: v.optional(v.pipe(v.array(filledLine(60)), v.maxLength(500))),
});
export type OrganizationChanges = v.InferOutput<typeof OrganizationChanges>;

export const descriptions = {
  Organization: {
    is: 'The organization of the token, and its settings',
    fields: {
      name: 'The name of the business',
      businessPhone: 'The phone number that customers know, in E.164, or an empty text',
      website: 'The address of its website, unchanged: with `https://`, `http://` or no scheme',
      socials:
        'Its profiles, by the name of the network: links with `https://` or `http://`, or names without a scheme',
      timeZone: 'The time zone of its days and hours, such as `Australia/Sydney`',
      country:
        'Its country (ISO 3166, two letters), set for good at the founding. National phone numbers are read as numbers of ' +
        'this country',
      currency: 'The currency of its prices (ISO 4217)',
      timeFormat: 'How it says times of the day',
      weekStart: 'The first day of its week',
      openingHours: 'When it is open. Without any hours it is open at all times',
      holidays: 'The dates on which it has other opening hours',
      onCallHours: 'When someone can be reached although it may be closed. Holidays do not change them',
      areasServed: 'The suburbs or postcodes that it serves; none if it serves any',
    },
  },
  OrganizationChanges: {
    is: 'The body to change an organization',
    like: 'Organization',
    fields: {
      businessPhone:
        'A valid phone number without an extension: international (`+`, `00` or `0011`), or national in the ' +
        "organization's country. The number is stored in E.164. An empty text takes it away",
      socials: 'Its profiles, by the name of the network, in place of those it had',
      country: 'Its unchanged country: any other is refused',
      openingHours: 'When it is open, in place of all hours that it had; without any hours at all times',
      holidays: 'The dates on which it has other opening hours, in place of all that it had',
      onCallHours: 'When someone can be reached, in place of all hours that it had',
      areasServed:
        'The suburbs or postcodes that it serves, in place of all former areas; empty to serve any place',
    },
  },
} satisfies Descriptions;

const workday = [{ from: '08:00', to: '17:00' }];
const example = {
  id: 'org_6H8EV880',
  name: 'Harbour Plumbing',
  businessPhone: '+61255501234',
  website: 'https://harbourplumbing.example',
  socials: {},
  timeZone: 'Australia/Sydney',
  country: 'AU',
  currency: 'AUD',
  timeFormat: '12h',
  weekStart: 'monday',
  openingHours: {
    ...noHours,
    monday: workday,
    tuesday: workday,
    wednesday: workday,
    thursday: workday,
    friday: [
      { from: '08:00', to: '12:00' },
      { from: '13:00', to: '16:30' },
    ],
  },
  holidays: [{ date: '2026-12-25', name: 'Christmas Day', hours: [] }],
  onCallHours: {
    ...noHours,
    friday: [{ from: '16:30', to: '24:00' }],
    saturday: [{ from: '00:00', to: '24:00' }],
  },
  areasServed: ['Glebe', 'Ultimo', '2040'],
};

export const getOrganizationEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization',
  scope: 'organization:read',
  access: 'get',
  summary: 'Read the settings of the organization',
  description: 'Its settings and its opening hours.',
  params: {},
  responses: { 200: Organization },
  record: {},
  errors: [],
  extension: true,
  example: { response: example },
});

export const updateOrganizationEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/organization',
  scope: 'organization:write',
  access: 'put',
  summary: 'Change the settings of the organization',
  description:
    'Fields that are left out stay unchanged. `openingHours`, `holidays`, `onCallHours`, `areasServed` and ' +
    '`socials` each replace all that was there. A time zone holds from now on: days that were counted in another time zone ' +
    'do not change.',
  params: {},
  body: OrganizationChanges,
  readOnly: readOnlyFields(Organization, OrganizationChanges),
  responses: { 200: Organization },
  record: {},
  errors: [],
  extension: true,
  example: {
    body: {
      holidays: [
        ...example.holidays,
        { date: '2026-12-31', name: 'New Year’s Eve', hours: [{ from: '08:00', to: '12:00' }] },
      ],
    },
    response: {
      ...example,
      holidays: [
        ...example.holidays,
        { date: '2026-12-31', name: 'New Year’s Eve', hours: [{ from: '08:00', to: '12:00' }] },
      ],
    },
  },
});
