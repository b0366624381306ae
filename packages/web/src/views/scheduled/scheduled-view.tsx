import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { cancelScheduled, conversationOfScheduled } from '../../data/scheduled.ts';
import type { ScheduledMessage } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../compose/conversation-name.ts';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { formatMoment } from '../compose/moment.ts';

/** What the server sends later, in the order of its times. */
export function ScheduledView({ app }: { readonly app: App }) {
  const waiting = app.state.rest.value.scheduled_messages;
  return (
    <section class="written-list" aria-labelledby="scheduled-title">
      <h1 id="scheduled-title">{texts.scheduled.title}</h1>
      {waiting.length === 0 && <p>{texts.scheduled.none}</p>}
      <ul>
        {waiting.map((message) => (
          <li key={message.scheduled_message_id}>
            <ScheduledItem app={app} message={message} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ScheduledItem({
  app,
  message,
}: {
  readonly app: App;
  readonly message: ScheduledMessage;
}) {
  const failure = useSignal<string | undefined>(undefined);
  const isCancelling = useSignal(false);
  const selfId = app.state.self.value.user_id;
  const name = nameOfConversation(app.state, conversationOfScheduled(message, selfId));
  const cancel = async (): Promise<void> => {
    isCancelling.value = true;
    failure.value = undefined;
    try {
      await cancelScheduled(app, message);
    } catch (error) {
      failure.value = describeFailure(error);
      isCancelling.value = false;
    }
  };
  const at = new Date(message.scheduled_delivery_timestamp * 1000);
  return (
    <article aria-label={name}>
      <header>
        <strong>{name}</strong> <time>{formatMoment(at, app.state.settings.value)}</time>
      </header>
      <RenderedHtml html={message.rendered_content} />
      <button type="button" disabled={isCancelling.value} onClick={() => void cancel()}>
        {texts.scheduled.cancel}
      </button>
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value}
        </p>
      )}
    </article>
  );
}
