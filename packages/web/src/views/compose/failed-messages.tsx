import { texts } from '../../texts.ts';
import { hasFailed } from '../messages/pending-messages.tsx';
import { nameOfConversation } from '../parts/names.ts';
import type { Composer } from './composer.ts';

/** What could not be sent, until it is changed, sent again or discarded. */
export function FailedMessages({ composer }: { readonly composer: Composer }) {
  const { app } = composer;
  const { outbox, state } = app;
  const failed = outbox.pending.value.filter((outgoing) => hasFailed(app, outgoing));
  if (failed.length === 0) return null;
  return (
    <ul class="compose-failed" aria-label={texts.compose.failed}>
      {failed.map((outgoing) => {
        const { localId, conversation, content, failure } = outgoing;
        return (
          <li key={localId} class="row" role="alert">
            <div>
              <strong>{texts.compose.notSent(nameOfConversation(state, conversation))}</strong>{' '}
              {failure}
              <div class="source" tabIndex={0}>
                {content}
              </div>
            </div>
            <button type="button" onClick={() => composer.takeBack(outgoing)}>
              {texts.compose.editAgain}
            </button>
            <button type="button" onClick={() => outbox.sendAgain(localId)}>
              {texts.compose.sendAgain}
            </button>
            <button type="button" class="plain" onClick={() => outbox.discard(localId)}>
              {texts.compose.discard}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
