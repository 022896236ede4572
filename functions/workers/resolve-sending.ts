import { resolveSendingWorker } from '../../shared/contract/sms.ts';
import { system } from '../../shared/http/outside/system.ts';
import { resolveSending } from '../../shared/domain/sms/resolve-sending.ts';
import { messages } from '../../shared/domain/threads/threads.ts';
import { dueRecords, ledgerOf } from '../../shared/http/outside/table.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(resolveSendingWorker, ({ reach, deadline, capacity, report }) => {
  const until = new Date(system.now()).toISOString();
  return resolveSending(
    dueRecords(messages, resolveSendingWorker.name, until, { deadline, capacity }),
    (organization, end) => ledgerOf({ organization, userId: 'system', reach, deadline: end, capacity }),
    { system, deadline, report },
  );
});
