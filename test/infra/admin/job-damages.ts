import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { duePartition, shardOf } from '../../../shared/ledger/internal/keys.ts';
import { formerTeam, team1, tagged } from './jobs.ts';
import type { Damage } from './damages.ts';
import { firstBucket, type StoredItems } from './stored-items.ts';

/** Kinds of damage to the lists of an organization that `fillJobs` has filled. */
export function jobDamagesOf(items: StoredItems): Damage[] {
  const { at, edit, get, head, headName, holeItemName, holeItemKey, partitionOf, put, remove, restate } =
    items;
  /** Due partition of the organization's shard, of the worker that reminds. */
  const ownShard = () =>
    duePartition('remind', shardOf(partitionOf('').slice('ORG#'.length, -1) as OrganizationCode));
  const open = 'the list JOB#1#OPEN';
  const ofTeam = 'the list JOB#2 of team 1';
  const ofTeam3 = 'the list JOB#2 of team 3';
  const former = () => holeItemKey(formerTeam, 'STATE');
  const ofFormer = team1.replace('1#', '3#');
  return [
    [
      'the hole of a member that left is missing',
      () => edit(holeItemKey('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1000001 })),
      () => [['list-wrong', open]],
    ],
    [
      'the holes of members that left the list of a record are missing',
      () => remove(holeItemKey(team1, firstBucket)),
      () => [['list-wrong', ofTeam]],
    ],
    [
      'the hole of a member that left the list of a deleted owner is missing',
      () => remove(holeItemKey(ofFormer, firstBucket)),
      () => [['list-wrong', ofTeam3]],
    ],
    ['a former item is missing', () => remove(former()), () => [['list-wrong', ofTeam3]]],
    [
      'a former item is missing, and the holes of its list too',
      async () => {
        await remove(former());
        await remove(holeItemKey(ofFormer, firstBucket));
      },
      () => [['list-wrong', ofTeam3]],
    ],
    [
      'a member of a list of a removed record lost its position',
      () => edit(at('JOB', 7), ({ gsi2pk, gsi2sk, ...item }) => item),
      () => [['position-wrong', 'job 7']],
    ],
    [
      'the list of a removed record counts one too many',
      () => restate(former(), 'JOB#2', '3-1~BA'),
      () => [['list-wrong', ofTeam3]],
    ],
    [
      'the list of a removed record counts one too few',
      () => restate(former(), 'JOB#2', '1-1~AQ'),
      () => [['list-wrong', ofTeam3]],
    ],
    [
      'the list of a removed record counts no hole',
      () => restate(former(), 'JOB#2', '2'),
      () => [['list-wrong', ofTeam3]],
    ],
    [
      'a former item lacks the state of its list',
      () => restate(former(), 'JOB#2', undefined),
      () => [['list-wrong', ofTeam3]],
    ],
    [
      'a former item has the state of an impossible list',
      () => edit(former(), (item) => ({ ...item, lists: { ...(item['lists'] as object), 'TEAM#1': '1' } })),
      () => [['list-unknown', 'team 3']],
      'all',
    ],
    ...[{ lists: 'ann' }, { lists: { 'JOB#2': 'ann' } }, { revision: 'ann' }].map((wrong): Damage => [
      `a former item is malformed: ${JSON.stringify(wrong)}`,
      () => edit(former(), (item) => ({ ...item, ...wrong })),
      () => [['former-item-malformed', holeItemName(formerTeam, 'STATE')]],
    ]),
    [
      'a former item has the revision of no event',
      () => edit(former(), (item) => ({ ...item, revision: 1000 })),
      () => [['revision-ahead', holeItemName(formerTeam, 'STATE')]],
    ],
    [
      'a member is also a hole',
      async () => {
        await edit(holeItemKey('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1001011 }));
        await restate(head(), 'JOB#1#OPEN', '7-4~aQ');
      },
      () => [['list-wrong', open]],
    ],
    [
      'a hole is beyond the last rank',
      async () => {
        await edit(holeItemKey(team1, firstBucket), (item) => ({ ...item, 0: 0b11001 }));
        await restate(at('TEAM', 1), 'JOB#2', '4-3~CQ');
      },
      () => [['list-wrong', ofTeam]],
    ],
    [
      'the holes of a list are malformed',
      () => edit(holeItemKey(team1, firstBucket), (item) => ({ ...item, 0: 'ann' })),
      () => [['list-wrong', ofTeam]],
    ],
    [
      'a bucket beyond the last one has holes',
      () => put({ ...holeItemKey(team1, '000000000001'), 0: 1 }),
      () => [['list-wrong', ofTeam]],
    ],
    [
      'the state counts too many holes',
      () => restate(at('TEAM', 1), 'JOB#2', '4-3~CQ'),
      () => [['list-wrong', ofTeam]],
    ],
    ['the state counts no hole', () => restate(at('TEAM', 1), 'JOB#2', '4'), () => [['list-wrong', ofTeam]]],
    [
      'the window of the newest is off',
      () => restate(at('TEAM', 1), 'JOB#2', '4-2~Cw'),
      () => [['list-wrong', ofTeam]],
    ],
    [
      'a list of one bucket has an item of counts',
      () => put({ ...holeItemKey('JOB#1#OPEN', 'COUNTS'), left: 3 }),
      () => [['list-wrong', open]],
    ],
    [
      'an unknown item is among the hole items',
      () => put({ ...holeItemKey('JOB#1#OPEN', 'ann@example.com') }),
      () => [['unknown-item', holeItemName('JOB#1#OPEN', '(not shown)')]],
      'all',
    ],
    [
      'the head has a state that an item has',
      () => put({ ...holeItemKey('JOB#1#OPEN', 'STATE'), state: '7-3~SQ' }),
      () => [['unknown-item', holeItemName('JOB#1#OPEN', 'STATE')]],
      'all',
    ],
    [
      'the item of a state is gone',
      () => remove(holeItemKey('JOB#3#b', 'STATE')),
      () => [['list-wrong', tagged]],
    ],
    [
      'the item of a state with holes is gone',
      () => remove(holeItemKey('JOB#3#ann@example.com', 'STATE')),
      () => [['list-wrong', tagged]],
    ],
    [
      'the item of a state has a rank too many',
      () => put({ ...holeItemKey('JOB#3#b', 'STATE'), state: '3' }),
      () => [['list-wrong', tagged]],
    ],
    [
      'the item of a state counts a hole too many',
      () => put({ ...holeItemKey('JOB#3#b', 'STATE'), state: '1-1~AQ' }),
      () => [['list-wrong', tagged]],
    ],
    [
      'the item of a state is malformed',
      () => put({ ...holeItemKey('JOB#3#b', 'STATE'), state: '1-1~A' }),
      () => [['list-wrong', tagged]],
    ],
    [
      'a record has another state than its list',
      () => edit(at('JOB', 5), (item) => ({ ...item, state: 'DONE' })),
      () => [
        ['position-wrong', 'job 5'],
        ['index-wrong', 'job 5'],
      ],
    ],
    ...[['gsi2sk'], ['gsi2pk', 'gsi2sk']].map((gone): Damage => [
      `a record of a team has no ${gone.join(' and no ')}`,
      () =>
        edit(at('JOB', 2), (item) =>
          Object.fromEntries(Object.entries(item).filter(([name]) => !gone.includes(name))),
        ),
      () => [['position-wrong', 'job 2']],
    ]),
    [
      'a record without a tag is in the list of a tag',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi3pk: partitionOf('JOB#3#b'), gsi3sk: 2 })),
      () => [['position-wrong', 'job 5']],
    ],
    ...[3, 1000].map((rank): Damage => [
      `a record has rank ${rank} of a list that it does not belong to`,
      () => edit(at('JOB', 1), (item) => ({ ...item, gsi1pk: partitionOf('JOB#1#OPEN'), gsi1sk: rank })),
      () => [['position-wrong', 'job 1']],
    ]),
    [
      'a record is in an impossible partition',
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
        ['position-wrong', 'job 5'],
        ['list-wrong', 'the list JOB#1#DONE'],
      ],
    ],
    [
      'a record names an impossible team',
      () => edit(at('JOB', 5), (item) => ({ ...item, team: -1 })),
      () => [['position-wrong', 'job 5']],
      'all',
    ],
    [
      'a record is of a team that never existed',
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
      'a due record lacks its due attributes',
      () => edit(at('JOB', 5), ({ gsi9pk, gsi9sk, ...item }) => item),
      () => [['index-wrong', 'job 5']],
    ],
    [
      'a record is due at another time',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi9sk: '2031-01-01T00:00:00.000Z' })),
      () => [['index-wrong', 'job 5']],
    ],
    [
      'a record has due attributes that it must not have',
      async () => {
        const { gsi9pk, gsi9sk } = await get(at('JOB', 5));
        await edit(at('JOB', 1), (item) => ({ ...item, gsi9pk, gsi9sk }));
      },
      () => [['index-wrong', 'job 1']],
    ],
    [
      'a record that never waits has due attributes',
      () => edit(at('TEAM', 2), (item) => ({ ...item, gsi9pk: ownShard(), gsi9sk: '2030' })),
      () => [['index-wrong', 'team 2']],
      'all',
    ],
    [
      'an event is in an index where its owner has no list',
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
      'the head has the state of an impossible list',
      () =>
        edit(head(), ({ lists, ...item }) => ({ ...item, lists: { ...(lists as object), 'TEAM#1': '1' } })),
      () => [['list-unknown', headName()]],
      'all',
    ],
    [
      'a record has the state of an impossible list',
      () =>
        edit(at('TEAM', 2), ({ lists, ...item }) => ({
          ...item,
          lists: { ...(lists as object), 'JOB#5#ann': '1' },
        })),
      () => [['list-unknown', 'team 2']],
      'all',
    ],
    [
      'a record has malformed list states',
      () => edit(at('TEAM', 2), (item) => ({ ...item, lists: { 'JOB#2': 'ann' } })),
      () => [['record-malformed', 'team 2']],
    ],
    [
      'the head has a malformed list state',
      () => restate(head(), 'JOB', '7-2~A'),
      () => [['head-malformed', headName()]],
      'all',
    ],
  ];
}
