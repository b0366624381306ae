import type { Stream } from '../../data/state.ts';

/** Who may join a stream, by the names of `settingsTexts.choices.privacy`, and the parameters that say it. */
export const privacies = {
  public: { invite_only: false, history_public_to_subscribers: true },
  privateWithHistory: { invite_only: true, history_public_to_subscribers: true },
  privateWithoutHistory: { invite_only: true, history_public_to_subscribers: false },
};

export function privacyOf({
  invite_only,
  history_public_to_subscribers,
}: Stream): keyof typeof privacies {
  if (!invite_only) return 'public';
  return history_public_to_subscribers ? 'privateWithHistory' : 'privateWithoutHistory';
}
