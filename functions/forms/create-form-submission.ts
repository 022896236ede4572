import { created } from '../../shared/contract/endpoint.ts';
import { createFormSubmissionEndpoint } from '../../shared/contract/forms.ts';
import { submitForm } from '../../shared/domain/forms/submit-form.ts';
import { forms } from '../../shared/http/forms/forms.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

const maxPerDay = Number(process.env['FORMS_PER_KEY_PER_DAY']);
const answer = created({ message: 'Form submitted successfully' } as const);

export const handler = serve(
  createFormSubmissionEndpoint,
  async ({ body, query, caller }) => {
    await submitForm(ledgerOf(caller), body, { map: query.map, maxPerDay });
    return answer;
  },
  forms,
);
