import type { Stream } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { choice } from '../settings/fields.ts';

/** Who may join a stream, under the names of the parameters that say it. */
export const privacies = {
  public: { invite_only: false, history_public_to_subscribers: true },
  privateWithHistory: { invite_only: true, history_public_to_subscribers: true },
  privateWithoutHistory: { invite_only: true, history_public_to_subscribers: false },
};

type Privacy = keyof typeof privacies;

export function privacyOf({ invite_only, history_public_to_subscribers }: Stream): Privacy {
  if (!invite_only) return 'public';
  return history_public_to_subscribers ? 'privateWithHistory' : 'privateWithoutHistory';
}

export const privacyChoice = choice<'privacy', Privacy>('privacy', [
  { value: 'public', label: t.privacies.public },
  { value: 'privateWithHistory', label: t.privacies.privateWithHistory },
  { value: 'privateWithoutHistory', label: t.privacies.privateWithoutHistory },
]);
