import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { duePartition, shardOf } from '../../../shared/ledger/internal/keys.ts';
import { formerTeam, team1, tagged } from './jobs.ts';
import type { Damage } from './damages.ts';
import { firstBucket, type StoredItems } from './stored-items.ts';

/** Each kind of damage to the lists of an organization that `fillJobs` has filled. */
export function jobDamagesOf(items: StoredItems): Damage[] {
  const { at, edit, get, head, headName, notes, notesOf, partitionOf, put, remove, restate } = items;
  /** Where the organization's records wait for a worker that reminds. */
  const ownShard = () =>
    duePartition('remind', shardOf(partitionOf('').slice('ORG#'.length, -1) as OrganizationCode));
  const open = 'the list JOB#1#OPEN';
  const ofTeam = 'the list JOB#2 of team 1';
  const former = () => notesOf(formerTeam, 'STATE');
  const ofFormer = team1.replace('1#', '3#');
  const hidden = (sk: string) => notes('JOB#3#(not shown)', sk);
  return [
    [
      'nothing notes that a member left',
      () => edit(notesOf('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1000001 })),
      () => [
        ['hole-count', notes('JOB#1#OPEN')],
        ['hole-window', headName()],
        ['rank-missing', open],
      ],
    ],
    [
      'nothing notes that members left a list of a record',
      () => remove(notesOf(team1, firstBucket)),
      () => [
        ['hole-count', notes(team1)],
        ['hole-window', 'team 1'],
        ['rank-missing', ofTeam],
      ],
    ],
    [
      'nothing notes that a member left a list whose owner was deleted',
      () => remove(notesOf(ofFormer, firstBucket)),
      () => [
        ['hole-count', notes(ofFormer)],
        ['hole-window', notes(formerTeam, 'STATE')],
        ['rank-missing', 'the list JOB#2 of team 3'],
      ],
    ],
    [
      'what is kept of a removed record is missing',
      () => remove(former()),
      () => [['former-missing', notes(formerTeam, 'STATE')]],
    ],
    [
      'what is kept of a removed record is missing, and who left its list too',
      async () => {
        await remove(former());
        await remove(notesOf(ofFormer, firstBucket));
      },
      () => [['former-missing', notes(formerTeam, 'STATE')]],
    ],
    [
      'a member of a list of a removed record has lost its place',
      () => edit(at('JOB', 7), ({ gsi2pk, gsi2sk, ...item }) => item),
      () => [['place-wrong', 'job 7']],
    ],
    [
      'the list of a removed record counts one too many',
      () => restate(former(), 'JOB#2', '3-1~BA'),
      () => [['rank-missing', 'the list JOB#2 of team 3']],
    ],
    [
      'the list of a removed record counts one too few',
      () => restate(former(), 'JOB#2', '1-1~AQ'),
      () => [['rank-beyond', 'job 7']],
    ],
    [
      'the list of a removed record counts none that left',
      () => restate(former(), 'JOB#2', '2'),
      () => [
        ['hole-count', notes(ofFormer)],
        ['hole-window', notes(formerTeam, 'STATE')],
      ],
    ],
    [
      'what is kept of a removed record says nothing of its list',
      () => restate(former(), 'JOB#2', undefined),
      () => [
        ['rank-beyond', 'job 7'],
        ['hole-count', notes(ofFormer)],
        ['hole-beyond', notes(ofFormer)],
      ],
    ],
    [
      'what is kept of a removed record names a list that there cannot be',
      () => edit(former(), (item) => ({ ...item, lists: { ...(item['lists'] as object), 'TEAM#1': '1' } })),
      () => [['list-unknown', 'team 3']],
      'all',
    ],
    ...[{ lists: 'ann' }, { lists: { 'JOB#2': 'ann' } }, { revision: 'ann' }].map((wrong): Damage => [
      `what is kept of a removed record cannot be read: ${JSON.stringify(wrong)}`,
      () => edit(former(), (item) => ({ ...item, ...wrong })),
      () => [['former-malformed', notes(formerTeam, 'STATE')]],
    ]),
    [
      'what is kept of a removed record has the revision of no event',
      () => edit(former(), (item) => ({ ...item, revision: 1000 })),
      () => [['revision-ahead', notes(formerTeam, 'STATE')]],
    ],
    [
      'a member has left as well',
      async () => {
        await edit(notesOf('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1001011 }));
        await restate(head(), 'JOB#1#OPEN', '7-4~aQ');
      },
      () => [['rank-and-hole', 'job 2']],
    ],
    [
      'a hole is after the last rank',
      async () => {
        await edit(notesOf(team1, firstBucket), (item) => ({ ...item, 0: 0b11001 }));
        await restate(at('TEAM', 1), 'JOB#2', '4-3~CQ');
      },
      () => [['hole-beyond', notes(team1)]],
    ],
    [
      'holes cannot be read',
      () => edit(notesOf(team1, firstBucket), (item) => ({ ...item, 0: 'ann' })),
      () => [['hole-malformed', notes(team1)]],
    ],
    [
      'holes are noted of a bucket that there is not',
      () => put({ ...notesOf(team1, '000000000001'), 0: 1 }),
      () => [['hole-beyond', notes(team1, '000000000001')]],
    ],
    [
      'too many have left by the state',
      () => restate(at('TEAM', 1), 'JOB#2', '4-3~CQ'),
      () => [['hole-count', notes(team1)]],
    ],
    [
      'nobody has left by the state',
      () => restate(at('TEAM', 1), 'JOB#2', '4'),
      () => [
        ['hole-count', notes(team1)],
        ['hole-window', 'team 1'],
      ],
    ],
    [
      'the window of the newest is off',
      () => restate(at('TEAM', 1), 'JOB#2', '4-2~Cw'),
      () => [['hole-window', 'team 1']],
    ],
    [
      'counts are kept of one bucket',
      () => put({ ...notesOf('JOB#1#OPEN', 'COUNTS'), left: 3 }),
      () => [['hole-count', notes('JOB#1#OPEN', 'COUNTS')]],
    ],
    [
      'a foreign item is among the notes',
      () => put({ ...notesOf('JOB#1#OPEN', 'ann@example.com') }),
      () => [['unknown-item', notes('JOB#1#OPEN', '(not shown)')]],
      'all',
    ],
    [
      'the head keeps a state, and an item does',
      () => put({ ...notesOf('JOB#1#OPEN', 'STATE'), state: '7-3~SQ' }),
      () => [['unknown-item', notes('JOB#1#OPEN', 'STATE')]],
      'all',
    ],
    [
      'the item of a state is gone',
      () => remove(notesOf('JOB#3#b', 'STATE')),
      () => [['rank-beyond', 'job 2']],
    ],
    [
      'the item of a state is gone that members have left',
      () => remove(notesOf('JOB#3#ann@example.com', 'STATE')),
      () => [
        ['rank-beyond', 'job 3'],
        ['hole-count', hidden(firstBucket)],
        ['hole-beyond', hidden(firstBucket)],
      ],
    ],
    [
      'the item of a state says too much',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '3' }),
      () => [['rank-missing', tagged]],
    ],
    [
      'the item of a state says that one has left',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '1-1~AQ' }),
      () => [
        ['hole-count', hidden(firstBucket)],
        ['hole-window', hidden('STATE')],
      ],
    ],
    [
      'the item of a state cannot be read',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '1-1~A' }),
      () => [['list-malformed', hidden('STATE')]],
    ],
    [
      'a record has another state than its list',
      () => edit(at('JOB', 5), (item) => ({ ...item, state: 'DONE' })),
      () => [
        ['place-wrong', 'job 5'],
        ['due-wrong', 'job 5'],
      ],
    ],
    ...[['gsi2sk'], ['gsi2pk', 'gsi2sk']].map((gone): Damage => [
      `a record of a team has no ${gone.join(' and no ')}`,
      () =>
        edit(at('JOB', 2), (item) =>
          Object.fromEntries(Object.entries(item).filter(([name]) => !gone.includes(name))),
        ),
      () => [
        ['place-wrong', 'job 2'],
        ['rank-missing', ofTeam],
      ],
    ]),
    [
      'a record that has no tag is in the list of one',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi3pk: partitionOf('JOB#3#b'), gsi3sk: 2 })),
      () => [['place-wrong', 'job 5']],
    ],
    ...[3, 1000].map((rank): Damage => [
      `a record has rank ${rank} of a list that it does not belong to`,
      () => edit(at('JOB', 1), (item) => ({ ...item, gsi1pk: partitionOf('JOB#1#OPEN'), gsi1sk: rank })),
      () => [
        ['place-wrong', 'job 1'],
        ['rank-missing', 'the list JOB#1#DONE'],
      ],
    ]),
    [
      'a record is where no list is',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi4pk: partitionOf('JOB#4#X'), gsi4sk: 1 })),
      () => [['list-unknown', 'job 5']],
      'all',
    ],
    [
      'a record is in the list of another index',
      async () => {
        await edit(at('JOB', 5), (item) => ({ ...item, gsi3pk: partitionOf('JOB#1#DONE'), gsi3sk: 4 }));
        await restate(head(), 'JOB#1#DONE', '4');
      },
      () => [
        ['place-wrong', 'job 5'],
        ['rank-missing', 'the list JOB#1#DONE'],
      ],
    ],
    [
      'a record names what can be no team',
      () => edit(at('JOB', 5), (item) => ({ ...item, team: -1 })),
      () => [['place-wrong', 'job 5']],
      'all',
    ],
    [
      'a record is of a team that never was',
      () =>
        edit(at('JOB', 6), (item) => ({
          ...item,
          team: 9,
          gsi2pk: partitionOf(team1.replace('1#', '9#')),
          gsi2sk: 1,
        })),
      () => [['list-unknown', 'job 6']],
      'all',
    ],
    [
      'nobody would find what is due',
      () => edit(at('JOB', 5), ({ gsi9pk, gsi9sk, ...item }) => item),
      () => [['due-wrong', 'job 5']],
    ],
    [
      'a record is due at another time',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi9sk: '2031-01-01T00:00:00.000Z' })),
      () => [['due-wrong', 'job 5']],
    ],
    [
      'a record is still due',
      async () => {
        const { gsi9pk, gsi9sk } = await get(at('JOB', 5));
        await edit(at('JOB', 1), (item) => ({ ...item, gsi9pk, gsi9sk }));
      },
      () => [['due-wrong', 'job 1']],
    ],
    [
      'a record is due that nobody waits for',
      () => edit(at('TEAM', 2), (item) => ({ ...item, gsi9pk: ownShard(), gsi9sk: '2030' })),
      () => [['due-wrong', 'team 2']],
      'all',
    ],
    [
      'an event is in the list of an index that its owner has none in',
      () =>
        edit(at('EVENT', 1), (item) => ({
          ...item,
          gsi1pk: partitionOf('TEAM#000000000001#EVENT#1'),
          gsi1sk: 1,
        })),
      () => [['list-unknown', 'event 1']],
      'all',
    ],
    [
      'the head keeps the state of a list that there cannot be',
      () =>
        edit(head(), ({ lists, ...item }) => ({ ...item, lists: { ...(lists as object), 'TEAM#1': '1' } })),
      () => [['list-unknown', headName()]],
      'all',
    ],
    [
      'a record keeps the state of a list that there cannot be',
      () =>
        edit(at('TEAM', 2), ({ lists, ...item }) => ({
          ...item,
          lists: { ...(lists as object), 'JOB#5#ann': '1' },
        })),
      () => [['list-unknown', 'team 2']],
      'all',
    ],
    [
      'a record keeps states that cannot be read',
      () => edit(at('TEAM', 2), (item) => ({ ...item, lists: { 'JOB#2': 'ann' } })),
      () => [['record-malformed', 'team 2']],
    ],
    [
      'the head keeps a state that cannot be read',
      () => restate(head(), 'JOB', '7-2~A'),
      () => [['head-malformed', headName()]],
      'all',
    ],
  ];
}
