/** What each event changes. Events are applied in order; what the server says is never guessed. */
import { batch } from '@preact/signals';

import { messageReducers } from './messages.ts';
import { organizationReducers } from './organization.ts';
import { peopleReducers } from './people.ts';
import type { AppliedEvent, Kept, Reducers } from './reducer.ts';
import { streamReducers } from './streams.ts';

export const reducers: Reducers = {
  ...messageReducers,
  ...organizationReducers,
  ...peopleReducers,
  ...streamReducers,
};

/** Applies an event as one change: nobody sees half of it. */
export function applyEvent(kept: Kept, event: AppliedEvent): void {
  const reduce = reducers[event.type] as ((kept: Kept, event: AppliedEvent) => void) | undefined;
  if (reduce !== undefined) batch(() => reduce(kept, event));
}
