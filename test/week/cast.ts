import type { Scope } from '../../shared/contract/scopes.ts';
import type { Business } from './business.ts';
import { Person, Provider } from './people.ts';

/** Who takes part: two people of the business, with a token each, and four providers that may only bring inquiries. */
export interface Cast {
  business: Business;
  mia: Person;
  ben: Person;
  phone: Provider;
  mailbox: Provider;
  chat: Provider;
  site: Provider;
}

/** Founds the business, and gives everybody a token. */
export async function founded(business: Business): Promise<Cast> {
  const all: Scope[] = ['read', 'write'];
  return {
    business,
    mia: new Person(business, await business.isFounded(), all),
    ben: new Person(business, await business.issueToken('Tablet in the van', all), all),
    phone: await Provider.of(business, 'Telephony'),
    mailbox: await Provider.of(business, 'Mailbox'),
    chat: await Provider.of(business, 'Chat'),
    site: await Provider.of(business, 'Web site'),
  };
}
