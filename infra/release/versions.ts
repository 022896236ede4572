import type { ApiChanges, NotCompared } from './compare-api.ts';
import { ReleaseError, type VersionOptions } from './options.ts';

const steps = ['patch', 'minor', 'major'] as const;
type Step = (typeof steps)[number];

/**
 * Chooses the version of a release by semantic versioning. The step is major if the API breaks clients. The step is at
 * least minor if the API, or "Added" in the changelog, has additions.
 *
 * @throws ReleaseError that says which option to change
 */
export function chooseVersion(
  last: string,
  options: VersionOptions,
  comparison: ApiChanges | NotCompared,
  entries: string,
): string {
  const { version } = options;
  const next = nextVersions(last);
  if (version !== undefined && !Object.values(next).includes(version))
    throw new ReleaseError(
      `${version} does not follow ${last}: say ${next.patch}, ${next.minor} or ${next.major}.`,
    );
  const lowest = lowestStep(options, comparison, next.major);
  if (version === undefined)
    return next[lowest === 'patch' && /^### Added$/m.test(entries) ? 'minor' : lowest];
  const step = steps.find((each) => next[each] === version) ?? lowest;
  if (steps.indexOf(step) < steps.indexOf(lowest))
    throw new ReleaseError(
      lowest === 'major'
        ? `${version} cannot break clients: say ${next.major}.`
        : `${version} is a patch, and the API has additions: say ${next.minor} or ${next.major}.`,
    );
  return version;
}

/** The lowest step that fits the changes of the API. */
function lowestStep(
  { version, breaking, judged }: VersionOptions,
  comparison: ApiChanges | NotCompared,
  major: string,
): Step {
  if ('why' in comparison) {
    if (!breaking && !(judged && version !== undefined))
      throw new ReleaseError(
        `oasdiff did not compare the API, since ${comparison.why}: look at the changes of the API yourself, then give the version and --judged.`,
      );
    return breaking ? 'major' : 'patch';
  }
  const { breaks, unsure, additions } = comparison;
  if (breaks.length > 0 && !breaking)
    throw new ReleaseError(`The API breaks clients: undo that, or say --breaking to release ${major}.`);
  if (unsure.length > 0 && !breaking && !judged)
    throw new ReleaseError(
      'Some changes may break clients: look at them, then say --judged if they break none, or --breaking.',
    );
  if (breaking && breaks.length + unsure.length === 0)
    throw new ReleaseError('No change of the API breaks clients: leave --breaking out.');
  if (breaking) return 'major';
  return additions.length + unsure.length > 0 ? 'minor' : 'patch';
}

function nextVersions(last: string): Record<Step, string> {
  const [major = 0, minor = 0, patch = 0] = last.split('.').map(Number);
  return {
    patch: `${major}.${minor}.${patch + 1}`,
    minor: `${major}.${minor + 1}.0`,
    major: `${major + 1}.0.0`,
  };
}
