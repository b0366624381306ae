import type { App } from '../../data/app.ts';
import { narrowOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { namesOf } from '../parts/names.ts';
import { StreamPath } from '../parts/stream-path.tsx';

type ConversationBarProps = {
  readonly app: App;
  readonly conversation: Conversation;
  /** The topic with the words that were searched for marked. */
  readonly topicHtml: string | undefined;
};

/** Above the messages of a conversation, where several are shown: it leads there. */
export function ConversationBar({ app, conversation, topicHtml }: ConversationBarProps) {
  return (
    <h2 class="conversation-bar line">
      {conversation.type === 'private' ? (
        <>
          <Icon name="private" />{' '}
          <a href={app.addressOf({ view: 'messages', narrow: narrowOf(conversation) })}>
            {texts.messages.youAnd(namesOf(app.state, conversation.userIds))}
          </a>
        </>
      ) : (
        <StreamPath app={app} {...conversation} topicHtml={topicHtml} />
      )}
    </h2>
  );
}
