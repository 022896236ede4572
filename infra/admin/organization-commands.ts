import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { createOrganization } from '../../shared/domain/organizations/organizations.ts';
import { addCommand, type Surroundings } from './command.ts';
import { facts, shownOnce, tokenFacts } from './output.ts';
import { addVerify } from './verify-command.ts';
import {
  country,
  emailAddress,
  expiry,
  organizationName,
  personName,
  tokenName,
  tokenScopes,
} from './values.ts';

export function addOrganizationCommands(group: Command, surroundings: Surroundings): void {
  addCreate(group, surroundings);
  addVerify(group, surroundings);
}

function addCreate(group: Command, surroundings: Surroundings): void {
  addCommand(
    group,
    {
      name: 'create',
      summary: 'Found an organization, with its owner, its default categories and its first token',
      usage: '--name NAME --country CODE --owner-first-name NAME --owner-last-name NAME --owner-email EMAIL',
      options: [
        ['--name <name>', 'what it is called'],
        [
          '--country <code>',
          'its country (ISO 3166, two letters): national phone numbers are read as its own',
        ],
        ['--owner-first-name <name>', 'the first name of its owner'],
        ['--owner-last-name <name>', 'the last name of its owner'],
        ['--owner-email <email>', 'the email address of its owner'],
        ['--token-name <name>', 'what its holders call the token (default: "First")'],
        ['--scopes <scopes>', 'what the token may do: read, write or read,write (default: "read,write")'],
        [
          '--expires <when>',
          'when the token expires: a date, a time, or a span such as 90d (default: never)',
        ],
      ],
      values: v.object({
        name: organizationName,
        country,
        ownerFirstName: personName,
        ownerLastName: personName,
        ownerEmail: emailAddress,
        tokenName: v.optional(tokenName, 'First'),
        scopes: tokenScopes,
        expires: v.optional(expiry),
      }),
      examples: [
        'organization create --local --name "Harbour Plumbing" --country AU \\\n' +
          '      --owner-first-name Mia --owner-last-name Tran --owner-email mia@harbourplumbing.example',
      ],
      run: async (given, { store, limits, mode, place }) => {
        const { name, country, tokenName, scopes, expires } = given;
        const owner = {
          firstName: given.ownerFirstName,
          lastName: given.ownerLastName,
          email: given.ownerEmail,
        };
        const input = {
          name,
          country,
          owner,
          token: { name: tokenName, mode, scopes, ...(expires && { expiry: expires }) },
        };
        const system = { random: Math.random, randomBytes };
        const { code, ownerId, token, record } = await createOrganization(store, limits, input, system);
        return {
          text:
            `${name} is founded ${place}.\n\n` +
            facts([['Organization', code], ['Owner', ownerId], ...tokenFacts(token, record)]) +
            `\n${shownOnce}`,
          json: {
            organization: code,
            ownerId,
            token,
            tokenId: record.id,
            scopes: record.scopes,
            expiresAt: record.expiresAt,
          },
        };
      },
    },
    surroundings,
  );
}
