import type { App } from '../../data/app.ts';
import { cancelScheduled, conversationOfScheduled } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { WrittenItem, WrittenList } from '../drafts/written-list.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';

/** What the server sends later, in the order of its times. */
export function ScheduledView({ app }: { readonly app: App }) {
  const waiting = app.state.rest.value.scheduled_messages;
  const { cancel, none, hint, title } = texts.scheduled;
  return (
    <WrittenList title={title} none={none} hint={hint}>
      {waiting.map((message) => (
        <WrittenItem
          key={message.scheduled_message_id}
          app={app}
          conversation={conversationOfScheduled(message, app.state)}
          at={new Date(message.scheduled_delivery_timestamp * 1000)}
          actions={[[cancel, () => cancelScheduled(app, message)]]}
        >
          <RenderedHtml html={message.rendered_content} />
        </WrittenItem>
      ))}
    </WrittenList>
  );
}
