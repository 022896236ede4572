import { sendSmsEndpoint } from '../../shared/contract/sms.ts';

/**
 * `fetch`, but for a request that would send an SMS: a deployed stack sends real ones. Tests that would send one are left out;
 * this holds where one was forgotten.
 */
export const withoutSms =
  (send: typeof fetch): typeof fetch =>
  (input, init) => {
    const { method = 'GET', url } = input instanceof Request ? input : { ...init, url: String(input) };
    if (method === sendSmsEndpoint.method && new URL(url).pathname.endsWith(sendSmsEndpoint.path))
      return Promise.reject(new Error('This would send an SMS: name the test in test/deployed/left-out.ts.'));
    return send(input, init);
  };
