import type { App } from '../../data/app.ts';
import { perform } from '../../data/operation.ts';
import type { Stream } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import type { Action } from '../settings/action-button.tsx';

/**
 * Subscribing or unsubscribing. From private streams there is a warning, since there is no way back; guests subscribe to none by themselves.
 */
export function joinActions(app: App, stream: Stream): readonly Action[] {
  const { invite_only, name, stream_id } = stream;
  if (app.state.subscriptions.value.has(stream_id))
    return [
      {
        label: t.streams.leave,
        run: () => perform(app, 'DELETE /users/me/subscriptions', { subscriptions: [name] }),
        warning: invite_only ? t.warnings.leavePrivateStream : undefined,
      },
    ];
  if (invite_only || app.state.self.value.is_guest) return [];
  const subscriptions = [{ name }];
  const join = () => perform(app, 'POST /users/me/subscriptions', { subscriptions });
  return [{ label: t.streams.subscribe, run: join }];
}
