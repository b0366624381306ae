import type { App } from '../../data/app.ts';
import { narrowOf, streamNarrow } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { WrittenItem, WrittenList } from './written-list.tsx';

/** Shows where the draft goes, with the draft to be written on. */
function open(app: App, conversation: Conversation): void {
  const narrow =
    conversation.type === 'stream' && conversation.topic === ''
      ? streamNarrow(conversation.streamId)
      : narrowOf(conversation);
  app.navigate({ view: 'messages', narrow });
  app.composing.value = conversation;
}

/** What was written and not sent, in this browser. */
export function DraftsView({ app }: { readonly app: App }) {
  const drafts = app.drafts.all.value;
  const { continue: goOn, delete: remove, ...about } = texts.drafts;
  return (
    <WrittenList {...about}>
      {drafts.map(({ key, conversation, content, changedAt }) => (
        <WrittenItem
          key={key}
          app={app}
          conversation={conversation}
          at={new Date(changedAt)}
          actions={[
            [goOn, () => open(app, conversation)],
            [remove, () => app.drafts.delete(key)],
          ]}
        >
          <p class="source">{content}</p>
        </WrittenItem>
      ))}
    </WrittenList>
  );
}
