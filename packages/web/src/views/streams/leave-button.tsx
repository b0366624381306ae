import type { App } from '../../data/app.ts';
import type { Stream } from '../../data/state.ts';
import { unsubscribe } from '../../data/stream-actions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton } from '../settings/action-button.tsx';

/** Unsubscribes; from private streams after a warning, since there is no way back. */
export function LeaveButton({ app, stream }: { readonly app: App; readonly stream: Stream }) {
  return (
    <ActionButton
      label={t.streams.leave}
      about={stream.name}
      {...(stream.invite_only ? { warning: t.warnings.leavePrivateStream } : {})}
      run={async () => unsubscribe(app, stream)}
    />
  );
}
