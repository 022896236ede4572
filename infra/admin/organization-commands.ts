import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { timeZoneInput } from '../../shared/contract/organization-settings.ts';
import { usualTimeZoneOf } from '../../shared/core/time-zones.ts';
import { createOrganization } from '../../shared/domain/organizations/found-organization.ts';
import { updateOrganization } from '../../shared/domain/organizations/organizations.ts';
import { tradeNames, trades } from '../trades/trades.ts';
import { defineCommand, type CommandGroup } from './command.ts';
import { copyCommands } from './copy/copy-commands.ts';
import { newEpoch } from './new-epoch-command.ts';
import { openOrganization } from './organization.ts';
import { facts, shownOnce, tokenFacts } from './output.ts';
import { addVerify } from './verify-command.ts';
import {
  country,
  emailAddress,
  expiry,
  firstTokenScopes,
  organization,
  organizationName,
  organizationOption,
  personName,
  scopesHelp,
  tokenName,
} from './values.ts';

const create = defineCommand({
  name: 'create',
  summary: 'Found an organization, with its owner, the first records of its trade and its first token',
  details:
    'The records are categories, services, and texts to fill in, which are not in use until then. Services have no prices.',
  usage: '--name NAME --country CODE --owner-first-name NAME --owner-last-name NAME --owner-email EMAIL',
  options: [
    ['--name <name>', 'its name'],
    ['--country <code>', 'its country (ISO 3166, two letters): national phone numbers are read as its own'],
    [
      '--time-zone <zone>',
      "the time zone that its days are counted in, such as Australia/Perth (default: the country's most usual)",
    ],
    [
      '--trade <trade>',
      `its trade, which decides its first records: ${tradeNames.join(', ')} (default: general)`,
    ],
    ['--owner-first-name <name>', 'the first name of its owner'],
    ['--owner-last-name <name>', 'the last name of its owner'],
    ['--owner-email <email>', 'the email address of its owner'],
    ['--token-name <name>', 'what its holders call the token (default: "First")'],
    ['--scopes <scopes>', `what the token may do: ${scopesHelp}`],
    ['--expires <when>', 'when the token expires: a date, a time, or a span such as 90d (default: never)'],
  ],
  values: v.object({
    name: organizationName,
    country,
    timeZone: v.optional(timeZoneInput),
    trade: v.optional(v.picklist(tradeNames), 'general'),
    ownerFirstName: personName,
    ownerLastName: personName,
    ownerEmail: emailAddress,
    tokenName: v.optional(tokenName, 'First'),
    scopes: firstTokenScopes,
    expires: v.optional(expiry),
  }),
  examples: [
    'organization create --local --name "Harbour Plumbing" --country AU \\\n' +
      '      --owner-first-name Mia --owner-last-name Tran --owner-email mia@harbourplumbing.example',
  ],
  run: async (given, { store, freshLimits, mode, place }) => {
    const { name, country, trade, tokenName, scopes, expires } = given;
    const { ownerFirstName: firstName, ownerLastName: lastName, ownerEmail: email } = given;
    const timeZone = given.timeZone ?? usualTimeZoneOf(country);
    const token = { name: tokenName, mode, scopes, ...(expires && { expiry: expires }) };
    const owner = { firstName, lastName, email };
    const input = { name, country, timeZone, owner, startSet: trades[trade], token };
    const system = { random: Math.random, randomBytes };
    const founded = await createOrganization(store, freshLimits(), input, system);
    const { code, ownerId, record } = founded;
    const { id: tokenId, scopes: granted, expiresAt } = record;
    return {
      lines: [
        `${name} is founded ${place}.`,
        '',
        ...facts([
          ['Organization', code],
          ['Owner', ownerId],
          ...tokenFacts(founded.token, record, founded.granted),
          ['Time zone', timeZone],
          ['Trade', trade],
        ]),
        '',
        shownOnce,
        '',
        'Next, the owner works by the API with this token, and needs no operator:',
        '- invite people: POST /v1/organization/members',
        '- issue a token or a key for each program: POST /v1/tokens',
        '- set opening hours and prices: PUT /v1/organization, PUT /v1/services/{serviceId}',
        'docs/guides/tokens.md is the guide.',
      ],
      json: {
        organization: code,
        ownerId,
        timeZone,
        trade,
        token: founded.token,
        tokenId,
        scopes: granted,
        expiresAt,
      },
    };
  },
});

const changeTimeZone = defineCommand({
  name: 'set-time-zone',
  summary: 'Choose the time zone of the days and the opening hours of an organization',
  details: 'The time zone holds from now on: days that are counted already do not change.',
  usage: '--organization CODE --time-zone ZONE',
  options: [organizationOption, ['--time-zone <zone>', 'the name of the time zone, such as Australia/Perth']],
  values: v.object({ organization, timeZone: timeZoneInput }),
  examples: ['organization set-time-zone --stage prod --organization 6H8EV880 --time-zone Australia/Perth'],
  run: async ({ organization, timeZone }, context) => {
    const { ledger, code, title } = await openOrganization(organization, context);
    const { timeZone: stored } = await updateOrganization(ledger, { timeZone });
    return {
      lines: [`The days of ${title} are counted in ${stored} from now on.`],
      json: { organization: code, timeZone: stored },
    };
  },
});

export const organizationCommands: CommandGroup = {
  name: 'organization',
  description: 'Found organizations, and verify them.',
  commands: [create, changeTimeZone, addVerify, newEpoch, ...copyCommands],
  examples: ['organization create --help', 'organization verify --stage prod --all'],
};
