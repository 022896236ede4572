import type { Scope } from '../../shared/contract/scopes.ts';
import type { Business } from './business.ts';
import { Diary } from './diary.ts';
import { WebsiteForm } from './outside.ts';
import { Person, Provider } from './people.ts';

/**
 * People and systems of the story: two people of the business with a token each, four providers that may only
 * create inquiries, and the website's form.
 */
export interface Cast {
  business: Business;
  mia: Person;
  ben: Person;
  diary: Diary;
  phone: Provider;
  mailbox: Provider;
  chat: Provider;
  site: Provider;
  form: WebsiteForm;
}

/** Founds the business and issues all tokens. */
export async function newCast(business: Business): Promise<Cast> {
  const all: Scope[] = ['read', 'write'];
  const mia = new Person(business, await business.found(), all);
  await business.addNumber();
  return {
    business,
    mia,
    diary: new Diary(business, mia),
    ben: new Person(business, await business.issueToken('Tablet in the van', all), all),
    phone: await Provider.of(business, 'Telephony'),
    mailbox: await Provider.of(business, 'Mailbox'),
    chat: await Provider.of(business, 'Chat'),
    site: await Provider.of(business, 'Web site'),
    form: await WebsiteForm.create(business, mia),
  };
}
