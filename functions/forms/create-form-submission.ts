import { created, ok } from '../../shared/contract/endpoint.ts';
import { createFormSubmissionEndpoint, formSentences } from '../../shared/contract/forms.ts';
import { createFormSubmission } from '../../shared/domain/forms/create-form-submission.ts';
import { forms } from '../../shared/http/forms/forms.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { settings } from '../../shared/http/outside/settings.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

const submitted = created({ message: formSentences.submitted });
const pingReceived = ok({ message: formSentences.ping });

export const handler = serve(
  createFormSubmissionEndpoint,
  async ({ body, query, principal }) => {
    const limits = { map: query.map, maxPerDay: settings.maxPerKeyAndDay };
    const { isPing } = await createFormSubmission(ledgerOf(principal), body, limits);
    return isPing ? pingReceived : submitted;
  },
  // The answer to a stored form is always the same.
  once(() => submitted),
  forms,
);
