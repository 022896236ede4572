import { headerRef, usualHeaders } from './errors.ts';

/** The contents of a body beside JSON, of an endpoint that takes forms. */
export const formContents = (schema: object) => ({
  'application/x-www-form-urlencoded': { schema },
  'multipart/form-data': { schema },
});

/** The answer to a browser that goes on to another page. */
export const sentOn = {
  303: {
    description: 'A browser goes on to `_next`',
    headers: { ...usualHeaders, Location: headerRef('Location') },
  },
};
