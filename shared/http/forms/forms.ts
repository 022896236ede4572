import type { APIGatewayProxyResult } from 'aws-lambda';
import * as v from 'valibot';
import { ErrorEnvelope } from '../../contract/errors.ts';
import type { SentForm } from '../../contract/sent-form.ts';
import { controlOf } from '../../domain/forms/controls.ts';
import type { Middleware, ServedEvent } from '../event.ts';
import type { ExtraSteps } from '../serve.ts';
import { pageResponse, wantsPage } from './pages.ts';
import { fieldsInQuery, readForm } from './read-form.ts';
import { readableBy } from '../readable-by.ts';
import { allowedAddress, checkSite, preflightResponse, siteAsked, siteIn } from './sites.ts';

/**
 * Further steps of an endpoint that takes forms. Reads any kind of form, answers browsers with a page or a redirect, and
 * tells browsers which sites may call the endpoint from scripts.
 */
export const forms: ExtraSteps<SentForm> = {
  wrapResponse: { after: finish, onError: finish },
  // A preflight passes for any site, so that a script of a wrong site can read why it may not send.
  answerEarly: (event) => (isPreflight(event) ? preflightResponse : undefined),
  readBody: async (event) => {
    checkSite(event);
    const { fields, unread } = await readForm(event);
    const all = [...fields, ...fieldsInQuery(event)];
    const { tokenId: keyId = 0 } = event.identified.principal;
    return (event.form = { fields: all, unread, site: siteIn(event), keyId });
  },
};

const isPreflight = ({ httpMethod }: ServedEvent) => httpMethod === 'OPTIONS';

function finish(request: Parameters<NonNullable<Middleware['after']>>[0]): void {
  const { event, response } = request;
  if (!response) return;
  const shown =
    isPreflight(event) || !wantsPage(event.headers['accept']) ? response : shownTo(event, response);
  request.response = {
    ...shown,
    headers: { ...shown.headers, ...readableBy(siteAsked(event)), Vary: 'Origin, Accept' },
  };
}

/** Turns a response into a page or a redirect for a browser. */
function shownTo(event: ServedEvent, { statusCode, headers, body }: APIGatewayProxyResult) {
  const site = siteIn(event);
  if (statusCode < 400) {
    const next = event.form && controlOf(event.form, '_next');
    const address = next && allowedAddress(next, { site, sites: event.identified?.sites ?? [] });
    if (address) return { statusCode: 303, headers: { Location: address }, body: '' };
    return pageResponse(statusCode, { title: 'Thank you', sentences: ['Your message was sent.'], site });
  }
  const { error, requestId } = v.parse(Envelope, body);
  // A 500 can mean that the form was stored.
  const title = statusCode === 500 ? 'Something went wrong' : 'Your message was not sent';
  const sentences = [`${error.message}.`, `If you write to us about this, name ${requestId}.`];
  const page = pageResponse(statusCode, { title, sentences, site });
  return { ...page, headers: { ...headers, ...page.headers } };
}

const Envelope = v.pipe(v.string(), v.parseJson(), ErrorEnvelope);
