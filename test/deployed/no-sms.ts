import { sendSmsEndpoint } from '../../shared/contract/sms.ts';

/**
 * Wraps `fetch` to refuse requests that would send an SMS: a deployed stack sends real ones. Tests that send
 * SMS are left out, and this guard holds if one was forgotten. The guard does not cover `node:http`. With
 * `node:http`, `compression.test.ts` and `open-api.test.ts` read and create leads and read the description.
 */
export const withoutSms =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    // Check exactly the request that is sent.
    const request = new Request(input, init);
    if (
      request.method.toUpperCase() === sendSmsEndpoint.method &&
      pathOf(request).endsWith(sendSmsEndpoint.path)
    )
      throw new Error('This would send an SMS: name the test in test/deployed/left-out.ts.');
    return send(request);
  };

/** Path as API Gateway matches it: decoded, with single slashes. */
const pathOf = ({ url }: Request): string =>
  new URL(url).pathname
    // Decode byte by byte, because a path need not be valid UTF-8.
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/\/+/g, '/')
    .replace(/\/$/, '');
