import { sendSmsEndpoint } from '../../shared/contract/sms.ts';

/**
 * `fetch`, but for a request that would send an SMS: a deployed stack sends real ones. Tests that would send one are left out;
 * this holds where one was forgotten. It does not see `node:http`, which `compression.test.ts` and `open-api.test.ts` use of
 * the functional tests, to read leads, to create them and to get the description.
 */
export const withoutSms =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    // What is looked at is what is sent.
    const request = new Request(input, init);
    if (
      request.method.toUpperCase() === sendSmsEndpoint.method &&
      pathOf(request).endsWith(sendSmsEndpoint.path)
    )
      throw new Error('This would send an SMS: name the test in test/deployed/left-out.ts.');
    return send(request);
  };

/** A path as API Gateway looks it up: decoded, and whatever its slashes. */
const pathOf = ({ url }: Request): string =>
  new URL(url).pathname
    // Byte by byte, since a path need not be valid UTF-8.
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/\/+/g, '/')
    .replace(/\/$/, '');
