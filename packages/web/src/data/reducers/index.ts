/** What each event changes. Events are applied in order; what the server says is never guessed. */
import type { App } from '../app.ts';
import { messageReducers } from './messages.ts';
import { organizationReducers } from './organization.ts';
import { peopleReducers } from './people.ts';
import type { AppliedEvent, Reducers } from './reducer.ts';
import { streamReducers } from './streams.ts';

const reducers: Reducers = {
  ...messageReducers,
  ...organizationReducers,
  ...peopleReducers,
  ...streamReducers,
};

export function applyEvent(app: App, event: AppliedEvent): void {
  const reduce = reducers[event.type] as ((app: App, event: AppliedEvent) => void) | undefined;
  reduce?.(app, event);
}
