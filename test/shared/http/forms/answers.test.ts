import { expect, test } from 'vitest';
import { createFormSubmissionEndpoint } from '../../../../shared/contract/forms.ts';
import { Failure } from '../../../../shared/core/failure.ts';
import { forms } from '../../../../shared/http/forms/forms.ts';
import { requestId, served } from '../invocation.ts';

test('a page of an error has the headers of that error', async () => {
  const refuse = served(
    createFormSubmissionEndpoint,
    () => Promise.reject(new Failure('unavailable', 'Too much is going on', { retryAfter: 1 })),
    forms,
  );
  const { answer } = await refuse({
    scopes: 'forms:submit',
    change: (event) => ({ ...event, headers: { Accept: 'text/html' } }),
  });
  expect(answer).toMatchObject({
    statusCode: 503,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Retry-After': 1, 'X-Request-Id': requestId },
  });
});
