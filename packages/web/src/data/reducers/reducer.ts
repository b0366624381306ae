import type { FollowedEvent } from '@parley/client';

import type { App } from '../app.ts';

export type AppliedEvent = Exclude<FollowedEvent, { readonly type: 'registered' }>;

/** Functions that apply an event, by its type. A type without one changes nothing that the client shows. */
export type Reducers = {
  readonly [Type in AppliedEvent['type']]?: (
    app: App,
    event: Extract<AppliedEvent, { readonly type: Type }>,
  ) => void;
};
