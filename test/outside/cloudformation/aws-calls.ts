import { region, rootKey } from './emulator.ts';

/** Calls services of the emulator with all permissions, without an SDK for each. */
export class AwsCalls {
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** Calls a service that names the operation in a header, such as DynamoDB. */
  async json<T>(service: string, target: string, input: object): Promise<T> {
    const headers = { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.1' };
    return JSON.parse(await this.#send(service, 'POST', '/', { headers, body: JSON.stringify(input) })) as T;
  }

  /** Calls a service that names the operation by path and method, such as Lambda. */
  async rest<T>(service: string, method: string, path: string, input?: object): Promise<T> {
    const body = input && JSON.stringify(input);
    const text = await this.#send(service, method, path, { ...(body !== undefined && { body }) });
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Calls a service that answers in XML, such as IAM. Returns the texts of all elements with one name. */
  async query(service: string, parameters: Record<string, string>, element: string): Promise<string[]> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(parameters).toString();
    const answer = await this.#send(service, 'POST', '/', { headers, body });
    return [...answer.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text]) => text!);
  }

  async #send(service: string, method: string, path: string, { headers = {}, body }: Parts): Promise<string> {
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
    const answer = await fetch(`${this.#endpoint}${path}`, {
      method,
      headers: {
        ...headers,
        'X-Amz-Date': date,
        // The emulator reads the caller and the service, and checks no signature of this caller.
        Authorization: `AWS4-HMAC-SHA256 Credential=${rootKey}/${scope}, SignedHeaders=host, Signature=none`,
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${service} answered ${method} ${path} with ${answer.status}: ${text}`);
    return text;
  }
}

interface Parts {
  headers?: Record<string, string>;
  body?: string;
}
