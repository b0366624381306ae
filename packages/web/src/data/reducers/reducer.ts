import type { FollowedEvent } from '@parley/client';

import type { App } from '../app.ts';

export type AppliedEvent = Exclude<FollowedEvent, { readonly type: 'registered' }>;

/** What a reducer changes: the parts of the app that keep what the server says. */
export type Kept = Pick<
  App,
  | 'state'
  | 'lists'
  | 'topics'
  | 'typing'
  | 'notifier'
  | 'outbox'
  | 'drafts'
  | 'visited'
  | 'place'
  | 'correct'
  | 'composing'
>;

/** Functions that apply an event, by its type. A type without one changes nothing that the client shows. */
export type Reducers = {
  readonly [Type in AppliedEvent['type']]?: (
    kept: Kept,
    event: Extract<AppliedEvent, { readonly type: Type }>,
  ) => void;
};
