import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused, type ErrorResponse } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { listing } from '../pages.ts';
import { changing, nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import { someId, someIfMatch, someIfNoneMatch, someNumber, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';

const presets = { phone: '', email: '', website: '', address: '' };

export function createCompany({ draw, organization }: Planner): Plan {
  const given = {
    name: `Company ${draw.whole(1, 99)}`,
    ...draw.pick([{}, { phone: '+61491570158', address: '1 Bay Street\nGlebe' }]),
  };
  return {
    operation: 'createCompany',
    organization,
    call: { endpoint: 'createCompany', body: JSON.stringify(given) },
    stages: once((change) => {
      const id = organization.idOf('COMPANY', change.next('COMPANY'));
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const company = change.append('COMPANY', () => ({ id, ...presets, ...given, ...stamps }));
      change.event('COMPANY_CREATED', 'The company was created', id);
      return { company };
    }),
  };
}

export function updateCompany(planner: Planner): Plan {
  const { draw, organization } = planner;
  const { number, companyId } = someCompany(planner);
  const { headers, tags } = someIfMatch(planner, 'company', companyId);
  const given = draw.pick<Fields>([
    {},
    { phone: draw.pick(['', '+61491570159']) },
    { name: `Company ${draw.whole(1, 99)}`, website: 'https://example.com' },
  ]);
  return {
    operation: 'updateCompany',
    organization,
    call: { endpoint: 'updateCompany', params: { companyId }, body: JSON.stringify(given), headers },
    ...changing({
      ...{ collection: 'COMPANY', number, label: 'company', tags },
      changed: (before) => ({ ...before, ...given }),
      store: (change, _before, after) => {
        const company = change.replace('COMPANY', number, { ...after, updatedAt: change.now });
        change.event('COMPANY_UPDATED', 'The company was changed', companyId);
        return company;
      },
    }),
  };
}

/** A company's number and id: with this probability, of one that gets many notes. */
function someCompany(planner: Planner, isGreat = 0.4): { number: number; companyId: string } {
  const { draw, organization } = planner;
  const last = organization.lastOf('COMPANY');
  // Every tenth. Their deletion takes several transactions.
  const companyId =
    last > 0 && draw.happens(isGreat)
      ? organization.idOf('COMPANY', last - ((last - 1) % 10))
      : someId(planner, 'COMPANY');
  return { number: organization.numberOf('COMPANY', companyId), companyId };
}

/** List of a company's notes. */
const notesOf = (organization: OrganizationModel, company: number) =>
  organization.partitionOf('gsi1', 'NOTE', { owner: ['COMPANY', company] });

export function createCompanyNote(planner: Planner): Plan {
  const { draw, organization } = planner;
  const { number, companyId } = someCompany(planner);
  const given = { value: `Note ${draw.whole(1, 999)}` };
  return {
    operation: 'createCompanyNote',
    organization,
    call: { endpoint: 'createCompanyNote', params: { companyId }, body: JSON.stringify(given) },
    // A note outlives its company for a while.
    canBeHidden: (window) => window.canMiss('COMPANY', number),
    stages: once((change) => {
      if (!change.get('COMPANY', number)) throw new Refused(notFound('company'));
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const { userId } = change;
      const note = change.append('NOTE', (id) => ({ id, ...given, companyId, userId, ...stamps }));
      change.event('NOTE_CREATED', 'The note was created', note['id'] as number);
      return { note };
    }),
  };
}

const refusalsOfCompany = (window: Window, number: number): ErrorResponse[] =>
  window.canMiss('COMPANY', number) ? [notFound('company')] : [];

export function listCompanyNotes(planner: Planner): Plan {
  const { organization } = planner;
  const { number, companyId } = someCompany(planner);
  const list = organization.list(notesOf(organization, number));
  return listing(planner, {
    operation: 'listCompanyNotes',
    params: { companyId },
    ...{ list, states: (window) => window.statesByOwner(list) },
    ...{ collection: 'NOTE', key: 'notes', fromIndex: true },
    refusals: (window) => refusalsOfCompany(window, number),
  });
}

/** A note as a path names it: usually by its company, which may be gone. */
function someNote(planner: Planner) {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'NOTE');
  const known = organization.record('NOTE', number) as { companyId: string } | undefined;
  const { companyId } = known && !draw.happens(0.05) ? known : someCompany(planner);
  const company = organization.numberOf('COMPANY', companyId);
  const isOfCompany = (note: Fields) => note['companyId'] === companyId;
  return {
    number,
    params: { companyId, noteId: String(number) },
    /** The note in a change. @throws Refused if the company or its note is missing */
    read: (change: Change) => {
      if (!change.get('COMPANY', company)) throw new Refused(notFound('company'));
      const note = change.get('NOTE', number);
      if (!note || !isOfCompany(note)) throw new Refused(notFound('note'));
      return note;
    },
    present: (window: Window) => window.present('NOTE', number).filter(isOfCompany),
    refusals: (window: Window) => {
      const isThere = window.records('NOTE', number).every((note) => note && isOfCompany(note));
      return [...refusalsOfCompany(window, company), ...(isThere ? [] : [notFound('note')])];
    },
  };
}

export function getCompanyNote(planner: Planner): Plan {
  const { organization } = planner;
  const { number, params, present, refusals } = someNote(planner);
  const { headers, tags } = someIfNoneMatch(planner, 'note', number);
  return {
    operation: 'getCompanyNote',
    organization,
    call: { endpoint: 'getCompanyNote', params, headers },
    ifNoneMatch: tags,
    unchanged: (window) => present(window).map((note) => ({ note })),
    refusals,
  };
}

export function updateCompanyNote(planner: Planner): Plan {
  const { draw, organization } = planner;
  const { number, params, read, present } = someNote(planner);
  const { headers, tags } = someIfMatch(planner, 'note', number);
  const given = draw.pick<Fields>([{}, { value: `Note ${draw.whole(1, 30)}` }]);
  return {
    operation: 'updateCompanyNote',
    organization,
    call: { endpoint: 'updateCompanyNote', params, body: JSON.stringify(given), headers },
    stages: once((change) => {
      const before = read(change);
      tags.check(before);
      if (same({ ...before, ...given }, before)) throw new Refused(nothingChanges);
      const note = change.replace('NOTE', number, { ...before, ...given, updatedAt: change.now });
      change.event('NOTE_UPDATED', 'The note was changed', number);
      return { note };
    }),
    unchanged: (window) =>
      present(window)
        .filter((note) => tags.fits(note) && same({ ...note, ...given }, note))
        .map((note) => ({ note })),
  };
}

export function deleteCompanyNote(planner: Planner): Plan {
  const { organization } = planner;
  const { number, params, read } = someNote(planner);
  const { headers, tags } = someIfMatch(planner, 'note', number);
  return {
    operation: 'deleteCompanyNote',
    organization,
    call: { endpoint: 'deleteCompanyNote', params, headers },
    stages: once((change) => {
      tags.check(read(change));
      change.remove('NOTE', number);
      change.event('NOTE_DELETED', 'The note was deleted', number);
      return { message: 'Note deleted successfully' };
    }),
  };
}

const done = { message: 'Company deleted successfully', done: true };
const notDone = {
  message: 'The company is deleted, its notes are not all deleted yet: ask again until they are',
  done: false,
};
/** Maximum number of changes per request: the company, and ten steps of its notes. */
const maxChanges = 11;

/** Companies whose deletion was last asked for, by organization. Other clients ask for it again. */
const lastDeleted = new WeakMap<OrganizationModel, string>();

/** One step of a deletion: the company, or as many of its notes as the transaction removes. */
function storeStep(change: Change, number: number, check: (company: Fields) => void): void {
  const { organization } = change;
  const id = organization.idOf('COMPANY', number);
  const company = change.get('COMPANY', number);
  if (company) {
    check(company);
    change.remove('COMPANY', number);
    change.event('COMPANY_DELETED', 'The company was deleted', id);
    return;
  }
  const list = organization.list(notesOf(organization, number));
  const gone = list
    .pageAt(organization.version, { page: 1, limit: list.count })
    .filter((note) => change.removes('NOTE', note));
  if (gone.length === 0) throw new Refused(notFound('company'));
  for (const note of gone) change.remove('NOTE', note);
  change.event('NOTES_DELETED', 'Notes about a deleted company were deleted', id);
}

/** Asks for the deletion of a company, repeatedly until it is done. */
export function deleteCompany(planner: Planner): Plan {
  const { draw, organization } = planner;
  const last = lastDeleted.get(organization);
  const companyId = last !== undefined && draw.happens(0.4) ? last : someCompany(planner, 0.1).companyId;
  lastDeleted.set(organization, companyId);
  const number = organization.numberOf('COMPANY', companyId);
  const { headers, tags } = someIfMatch(planner, 'company', companyId);
  const list = organization.list(notesOf(organization, number));
  const hadNotes = (window: Window) => window.statesByOwner(list).some(({ count }) => count > 0);
  // Some clients give up, so that others must continue the deletion.
  const patience = draw.happens(0.2) ? 0 : 30;
  let asked = 0;
  return {
    operation: 'deleteCompany',
    isInParts: true,
    organization,
    call: { endpoint: 'deleteCompany', params: { companyId }, headers },
    stages: ({ made }) => [
      {
        stage: made.length,
        store: (change) => {
          storeStep(change, number, (company) => {
            tags.check(company);
          });
          return {};
        },
      },
    ],
    check: (body, window, { made }) => {
      const isGone = organization.record('COMPANY', number) === undefined;
      const isRight = same(body, done) ? list.count === 0 : same(body, notDone) && hadNotes(window);
      if (isGone && isRight && made.length <= maxChanges) return;
      throw new Violation('A deletion of a company must report whether notes are left', [done, notDone], {
        ...{ number, body, isGone, left: list.count, changes: made.length },
      });
    },
    refusals: (window) => [
      ...refusalsOfCompany(window, number),
      ...tags.refusalsOf(window.present('COMPANY', number)),
    ],
    asksAgain: (body) => same(body, notDone) && asked++ < patience,
  };
}

export const plans: readonly WeightedPlan[] = [
  [createCompany, 1],
  [updateCompany, 1.5],
  [deleteCompany, 0.5],
  [createCompanyNote, 6],
  [listCompanyNotes, 3],
  [getCompanyNote, 2],
  [updateCompanyNote, 2],
  [deleteCompanyNote, 1],
];
