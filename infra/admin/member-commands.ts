import * as v from 'valibot';
import { memberRoles } from '../../shared/contract/roles.ts';
import { updateMember } from '../../shared/domain/tokens/change-member.ts';
import { authorizerCacheTime } from '../stack/stage.ts';
import { defineCommand, type CommandGroup } from './command.ts';
import { openOrganization, orNotFound } from './organization.ts';
import { memberId, organization, organizationOption } from './values.ts';

const example = 'member set-role --stage prod --organization 6H8EV880 --member 2 --role USER';

const changeMemberRole = defineCommand({
  name: 'set-role',
  summary: "Change the role of a member, which bounds the member's tokens",
  details:
    `The tokens of a USER manage no members and no webhooks. Existing tokens follow within ${authorizerCacheTime} seconds, ` +
    'because API Gateway caches them for that time. A higher role gives tokens their issued scopes back.',
  usage: '--organization CODE --member NUMBER --role ROLE',
  options: [
    organizationOption,
    ['--member <number>', 'the id of the member, as the list of members in the API has it'],
    ['--role <role>', `the new role: ${memberRoles.join(', ')}`],
  ],
  values: v.object({
    organization,
    member: memberId,
    role: v.pipe(v.string(), v.toUpperCase(), v.picklist(memberRoles)),
  }),
  examples: [example],
  run: async ({ organization, member, role }, context) => {
    const { ledger, code, title } = await openOrganization(organization, context);
    const { before, tokens, ...changed } = await orNotFound(
      updateMember(ledger, member, { role }),
      `There is no member ${member} in ${title}: the list of members in the API has their ids.`,
    );
    const { id: userId } = changed.member.user;
    const of = `Member ${member} of ${title}, ${userId},`;
    return {
      lines: [
        before.role === role
          ? `${of} has the role ${role} already: nothing was changed.`
          : `${of} had the role ${before.role} and has the role ${role} now. Tokens that follow within ${authorizerCacheTime} seconds: ${tokens}.`,
      ],
      json: { organization: code, member, userId, role, before: before.role, tokens },
    };
  },
});

export const memberCommands: CommandGroup = {
  name: 'member',
  description: 'Change what a member may do in the organization.',
  commands: [changeMemberRole],
  examples: [example],
};
