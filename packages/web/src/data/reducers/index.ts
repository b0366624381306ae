/** What each event changes. Events are applied in order; what the server says is never guessed. */
import type { App } from '../app.ts';
import { messageReducers } from './messages.ts';
import type { AppliedEvent, Reducers } from './reducer.ts';

const reducers: Reducers = { ...messageReducers };

export function applyEvent(app: App, event: AppliedEvent): void {
  const reduce = reducers[event.type] as ((app: App, event: AppliedEvent) => void) | undefined;
  reduce?.(app, event);
}
