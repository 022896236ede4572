import { ReleaseError } from './release-error.ts';
import type { SortedChanges } from './report.ts';

const steps = ['patch', 'minor', 'major'] as const;
type Step = (typeof steps)[number];

/** What the person said of the version. */
export interface VersionWish {
  /** Such as `1.2.0`; chosen by what changed where it is left out. */
  version?: string;
  /** They know that it breaks clients. */
  breaking: boolean;
  /** They looked at what cannot be judged, and it breaks no client. */
  judged: boolean;
}

/**
 * The version of a release, by semantic versioning: what breaks a client is a major version, what adds to the
 * API or to the changelog's "Added" at least a minor one.
 *
 * @throws ReleaseError that says what is wrong with the wish
 */
export function chooseVersion(
  last: string,
  wish: VersionWish,
  changes: SortedChanges,
  entries: string,
): string {
  const next = nextVersions(last);
  if (wish.version !== undefined && !Object.values(next).includes(wish.version))
    throw new ReleaseError(
      `${wish.version} does not follow ${last}: ${next.patch}, ${next.minor} or ${next.major} does.`,
    );
  const least = leastStep(wish, changes, next.major);
  if (wish.version === undefined)
    return next[least === 'patch' && /^### Added$/m.test(entries) ? 'minor' : least];
  const wished = steps.find((step) => next[step] === wish.version) ?? least;
  if (steps.indexOf(wished) < steps.indexOf(least))
    throw new ReleaseError(
      least === 'major'
        ? `${wish.version} cannot break clients: ${next.major} can.`
        : `${wish.version} is a patch, and the API has additions: ${next.minor} is the least.`,
    );
  return wish.version;
}

/** The least step that the changes of the API need. */
function leastStep(
  { breaking, judged }: VersionWish,
  { breaks, unjudged, additions }: SortedChanges,
  major: string,
): Step {
  if (breaks.length > 0 && !breaking)
    throw new ReleaseError(
      `The API breaks clients, as "npm run check:api" tells: undo that, or say --breaking to release ${major}.`,
    );
  if (unjudged.length > 0 && !breaking && !judged)
    throw new ReleaseError(
      'Some changes of the API cannot be judged, as "npm run check:api" tells: ' +
        'say --judged if they break no client, or --breaking if they do.',
    );
  if (breaking && breaks.length + unjudged.length === 0)
    throw new ReleaseError('Nothing of the API breaks clients: leave --breaking out.');
  if (breaking) return 'major';
  return additions.length + unjudged.length > 0 ? 'minor' : 'patch';
}

function nextVersions(last: string): Record<Step, string> {
  const [major = 0, minor = 0, patch = 0] = last.split('.').map(Number);
  return {
    patch: `${major}.${minor}.${patch + 1}`,
    minor: `${major}.${minor + 1}.0`,
    major: `${major + 1}.0.0`,
  };
}
