import type { APIGatewayProxyResult } from 'aws-lambda';
import * as v from 'valibot';
import { ErrorEnvelope } from '../../contract/errors.ts';
import { controlOf } from '../../domain/forms/controls.ts';
import type { Middleware, ServedEvent } from '../event.ts';
import type { Support } from '../serve.ts';
import { pageAnswer } from './pages.ts';
import { fieldsInQuery, readForm } from './read-form.ts';
import { allowedAddress, checkSite, preflightAnswer, readableBy, siteAsked, siteIn } from './sites.ts';
import { wantsPage } from './wants-page.ts';

/**
 * What an endpoint needs that takes forms: reads any kind of form, answers browsers by a page or by sending them on, and tells them
 * which sites may use it from scripts.
 */
export const forms: Support = {
  around: { after: finish, onError: finish },
  body: {
    before: async ({ event }) => {
      // A script of any site may ask, so that it can read why it may not send.
      if (isPreflight(event)) return;
      checkSite(event);
      const { fields, unread } = await readForm(event);
      const all = [...fields, ...fieldsInQuery(event)];
      event.form = { fields: all, unread, site: siteIn(event), keyId: event.tokenId ?? 0 };
    },
  },
  instead: (event) => (isPreflight(event) ? preflightAnswer : undefined),
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

/** An answer as a browser shows it. */
function shownTo(event: ServedEvent, { statusCode, headers, body }: APIGatewayProxyResult) {
  const site = siteIn(event);
  if (statusCode < 400) {
    const next = event.form && controlOf(event.form, '_next');
    const address = next && allowedAddress(next, { site, sites: event.sites ?? [] });
    if (address) return { statusCode: 303, headers: { Location: address }, body: '' };
    return pageAnswer(statusCode, { title: 'Thank you', sentences: ['Your message was sent.'], site });
  }
  const { error, requestId } = v.parse(Envelope, body);
  // After a 500, nobody may know.
  const title = statusCode === 500 ? 'Something went wrong' : 'Your message was not sent';
  const sentences = [`${error.message}.`, `If you write to us about this, name ${requestId}.`];
  const page = pageAnswer(statusCode, { title, sentences, site });
  return { ...page, headers: { ...headers, ...page.headers } };
}

const Envelope = v.pipe(v.string(), v.parseJson(), ErrorEnvelope);
