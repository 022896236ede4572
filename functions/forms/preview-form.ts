import { ok } from '../../shared/contract/endpoint.ts';
import { previewFormEndpoint } from '../../shared/contract/form-preview.ts';
import { previewForm } from '../../shared/domain/forms/preview-form.ts';
import { forms } from '../../shared/http/forms/forms.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  previewFormEndpoint,
  async ({ body, query, principal }) => ok(await previewForm(ledgerOf(principal), body, query.map)),
  once(({ goOn }) => goOn()),
  forms,
);
