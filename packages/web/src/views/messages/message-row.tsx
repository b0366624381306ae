import type { App } from '../../data/app.ts';
import { editedMessageId } from '../../data/message-actions.ts';
import type { Match } from '../../data/message-list.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { shownPerson } from '../people/shown-person.ts';
import { EditMessage } from './edit-message.tsx';
import { MessageActions } from './message-actions.tsx';
import { Reactions } from './reactions.tsx';
import { Widget } from './widgets.tsx';

function timeOf({ timestamp }: Message, app: App): string {
  return new Date(timestamp * 1_000).toLocaleTimeString(undefined, {
    hour: 'numeric',
    minute: '2-digit',
    hour12: !app.state.settings.value.twenty_four_hour_time,
  });
}

function Sender({ app, message }: { readonly app: App; readonly message: Message }) {
  return (
    <button
      type="button"
      class="plain sender"
      onClick={() => {
        shownPerson.value = message.sender_id;
      }}
    >
      {app.state.people.value.get(message.sender_id)?.full_name ?? message.sender_full_name}
    </button>
  );
}

function Content({
  message,
  match,
}: {
  readonly message: Message;
  readonly match: Match | undefined;
}) {
  const html = match?.content ?? message.content;
  return (
    <RenderedHtml
      html={message.is_me_message ? html.replace('<p>/me ', '<p>') : html}
      class="content"
    />
  );
}

/** One message. */
export function MessageRow({
  app,
  message,
  showsSender,
  match,
}: {
  readonly app: App;
  readonly message: Message;
  readonly showsSender: boolean;
  readonly match: Match | undefined;
}) {
  const flags = message.flags ?? [];
  const isMentioned = flags.some((flag) => flag === 'mentioned' || flag === 'wildcard_mentioned');
  const person = app.state.people.value.get(message.sender_id);
  const at = new Date(message.timestamp * 1_000);
  return (
    <article
      class="message"
      tabIndex={-1}
      data-message-id={message.id}
      data-mentioned={isMentioned}
      data-shows-sender={showsSender}
      aria-label={texts.messages.by(message.sender_full_name, timeOf(message, app))}
    >
      <span class="side">
        {showsSender && (
          <Avatar
            person={person ?? { user_id: message.sender_id, full_name: message.sender_full_name }}
            size={36}
          />
        )}
      </span>
      <div class="body">
        {showsSender && !message.is_me_message && (
          <header>
            <Sender app={app} message={message} />
          </header>
        )}
        {editedMessageId.value === message.id ? (
          <EditMessage app={app} messageId={message.id} />
        ) : message.is_me_message ? (
          <div class="me-message">
            <Sender app={app} message={message} /> <Content message={message} match={match} />
          </div>
        ) : (
          <Content message={message} match={match} />
        )}
        {message.last_edit_timestamp !== undefined && (
          <small class="edited">{texts.messages.edited}</small>
        )}
        <Widget app={app} messageId={message.id} />
        <Reactions app={app} messageId={message.id} />
      </div>
      <time dateTime={at.toISOString()} title={at.toLocaleString()}>
        {timeOf(message, app)}
      </time>
      <MessageActions app={app} messageId={message.id} />
    </article>
  );
}
