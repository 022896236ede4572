import * as v from 'valibot';
import { Failure } from '../../shared/core/failure.ts';
import { ownerIdOf } from '../../shared/domain/members/members.ts';
import { beginEpoch } from '../../shared/domain/organizations/organizations.ts';
import { Inconsistent, NoHead, OtherFormat } from '../../shared/ledger/index.ts';
import { messageOf } from './admin-error.ts';
import { defineCommand } from './command.ts';
import { noOrganization } from './organization.ts';
import { progressOf } from './output.ts';
import { TableReads } from './table/table-reads.ts';
import { OneOrAll, organizationOption } from './values.ts';
import { foundedIn } from './verify/verify-table.ts';

export const newEpoch = defineCommand({
  name: 'new-epoch',
  summary: 'Have everyone who follows the events of an organization start anew',
  details:
    'Use this command after a restore, before anything uses the data. Otherwise a new event gets the number of a lost event, ' +
    'and clients that follow the events miss it. You can stop the command and run it again: another new epoch does no harm.',
  options: [
    organizationOption,
    ['--all', 'every organization of the table: this scans the keys of the whole table'],
  ],
  usage: '(--organization CODE | --all)',
  isLong: true,
  values: OneOrAll,
  examples: [
    'organization new-epoch --stage prod --table Restored --all',
    'organization new-epoch --stage prod --organization 6H8EV880',
  ],
  run: async ({ organization: named }, context) => {
    const { store, freshLimits, place, signal } = context;
    const codes = named === undefined ? await foundedIn(new TableReads(context)) : [named];
    const showProgress = progressOf(context, 'organizations', codes.length);
    const lines: string[] = codes.length === 0 ? [`There is no organization ${place}.`] : [];
    const begun: { organization: string; before: string; after: string }[] = [];
    for (const organization of codes) {
      if (signal.aborted) {
        lines.push('The command was stopped: run it again, so that every organization gets another epoch.');
        break;
      }
      try {
        const principal = { organization, userId: ownerIdOf(organization), ...freshLimits() };
        const epochs = await beginEpoch(store.ledgerOf(principal), organization);
        begun.push({ organization, ...epochs });
        lines.push(`${organization} has the epoch ${epochs.after} from now on, and had ${epochs.before}.`);
        showProgress(begun.length);
      } catch (error) {
        if (error instanceof NoHead) throw noOrganization(organization, place);
        if (error instanceof Failure) {
          lines.push(
            `${organization}: DynamoDB did not carry it out (${messageOf(error.cause)}): run it again.`,
          );
          break;
        }
        // A damaged organization does not keep the others from a new epoch.
        const isDamaged =
          error instanceof Inconsistent || error instanceof OtherFormat || v.isValiError(error);
        if (!isDamaged) throw error;
        lines.push(`${organization} gets no epoch, since it is damaged: "organization verify" tells how.`);
      }
    }
    return { lines, json: { epochs: begun }, hasFindings: begun.length < codes.length };
  },
});
