import { submitForm } from '../../../shared/domain/forms/submit-form.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createFormSubmission: {
    // The lead is new, and the form has an id of another system.
    cost: [2, 9, 31],
    run: async (ledger) => {
      await submitForm(
        ledger,
        {
          fields: [
            { name: 'name', value: 'Dee Dow' },
            { name: 'email', value: 'dee@example.com' },
            { name: 'phone', value: '+61491571491' },
            { name: 'message', value: 'No hot water' },
            { name: 'id', value: 'form-1' },
          ],
          unread: 0,
          site: undefined,
          keyId: 3,
        },
        { map: 'externalInquiryId:id', maxPerDay: 1 },
      );
      return 'stored';
    },
    request: (_, n) => ({
      body: { name: 'Cleo Kay', email: `cleo${n}@example.com`, message: 'Call me', _form: 'Contact' },
    }),
  },
};
