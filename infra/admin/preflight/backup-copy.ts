import { fine, stops, type Check } from './check.ts';

/** Check that the copy of the table leaves the account. Only the first copy shows if the other account lets it in. */
export const backupCopy: Check = {
  name: 'Backup copy',
  isNeeded: ({ backupVaultArn }) => backupVaultArn !== undefined,
  ask: ({ settings: { backupVaultArn = '' }, account }) => {
    const [, , , region = '', id = ''] = backupVaultArn.split(':');
    return Promise.resolve(
      id === account.id
        ? stops(`backupVaultArn is in ${id}, the account of the stage: name a vault in another account`)
        : fine(`in the account ${id}, region ${region}`),
    );
  },
};
