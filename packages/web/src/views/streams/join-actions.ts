import type { App } from '../../data/app.ts';
import type { Stream } from '../../data/state.ts';
import { subscribe, unsubscribe } from '../../data/stream-actions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import type { Action } from '../settings/action-button.tsx';

/**
 * Subscribing or unsubscribing. From private streams there is a warning, since there is no way back; guests subscribe to none by themselves.
 */
export function joinActions(app: App, stream: Stream): readonly Action[] {
  const { subscriptions, self } = app.state;
  if (subscriptions.value.has(stream.stream_id))
    return [
      {
        label: t.streams.leave,
        run: async () => unsubscribe(app, stream),
        warning: stream.invite_only ? t.warnings.leavePrivateStream : undefined,
      },
    ];
  return self.value.is_guest || stream.invite_only
    ? []
    : [{ label: t.streams.subscribe, run: async () => subscribe(app, stream) }];
}
