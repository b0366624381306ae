import type { App } from '../../data/app.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../parts/names.ts';

/** What could not be sent, until it is sent again or discarded. */
export function FailedMessages({ app: { outbox, state } }: { readonly app: App }) {
  const failed = outbox.pending.value.filter(({ failure }) => failure !== undefined);
  if (failed.length === 0) return null;
  return (
    <ul class="compose-failed" aria-label={texts.compose.failed}>
      {failed.map(({ localId, conversation, content, failure }) => (
        <li key={localId} class="row" role="alert">
          <div>
            <strong>{texts.compose.notSent(nameOfConversation(state, conversation))}</strong>{' '}
            {failure}
            <div class="line">{content}</div>
          </div>
          <button type="button" onClick={() => outbox.sendAgain(localId)}>
            {texts.compose.sendAgain}
          </button>
          <button type="button" class="plain" onClick={() => outbox.discard(localId)}>
            {texts.compose.discard}
          </button>
        </li>
      ))}
    </ul>
  );
}
