import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { editedMessageId } from '../../data/message-actions.ts';
import type { Place } from '../../data/place.ts';
import type { Message } from '../../data/state.ts';
import { mentionOf } from '../../data/unread.ts';
import { texts } from '../../texts.ts';
import { lazy } from '../lazy.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { formatTime } from '../parts/time.ts';
import { shownPerson } from '../people/shown-person.ts';
import { MessageActions } from './message-actions.tsx';
import { Reactions } from './reactions.tsx';

const EditMessage = lazy(async () => (await import('./edit-message.tsx')).EditMessage);
const Widget = lazy(async () => (await import('./widgets.tsx')).Widget);

type MessageRowProps = {
  readonly app: App;
  readonly message: Message;
  /** Where it is in its conversation. */
  readonly place: Place;
  readonly showsSender: boolean;
  /** The content with marked words, as the server has it for what a search found. */
  readonly matchHtml: string | undefined;
};

/** One message. */
export function MessageRow({ app, message, place, showsSender, matchHtml }: MessageRowProps) {
  const { id, sender_id, sender_full_name, is_me_message } = message;
  const person = app.state.people.value.get(sender_id) ?? {
    user_id: sender_id,
    full_name: sender_full_name,
  };
  const at = new Date(message.timestamp * 1_000);
  const time = formatTime(at, app.state.settings.value);
  const contentId = `content-${id}`;
  const isEdited = message.last_edit_timestamp !== undefined;
  const isBeingEdited = editedMessageId.value === id;
  const isReached = useSignal(false);
  const reach = () => (isReached.value = true);
  const html = matchHtml ?? message.content;
  const when = (
    <time dateTime={at.toISOString()} title={at.toLocaleString()}>
      {/* With keys Enter goes there. */}
      <a href={app.addressOf(place)} tabIndex={-1}>
        {time}
      </a>
    </time>
  );
  return (
    <article
      class="message"
      tabIndex={-1}
      data-message-id={id}
      data-mentioned={mentionOf(message.flags) !== undefined}
      data-shows-sender={showsSender}
      aria-label={texts.messages.by(person.full_name, time)}
      aria-describedby={contentId}
      onPointerEnter={reach}
      onFocusIn={reach}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
        event.preventDefault();
        app.navigate(place);
      }}
    >
      <span class="side">{showsSender ? <Avatar person={person} size={36} /> : when}</span>
      <div class="body" data-me={is_me_message} data-edited={isEdited}>
        {showsSender && (
          <>
            <button
              type="button"
              class="plain sender"
              onClick={() => (shownPerson.value = sender_id)}
            >
              {person.full_name}
            </button>
            {when}
          </>
        )}
        {isBeingEdited ? (
          <EditMessage app={app} message={message} />
        ) : (
          <RenderedHtml
            id={contentId}
            html={is_me_message ? html.replace('<p>/me ', '<p>') : html}
            class="content"
            folds
          />
        )}
        {isEdited && <small>{texts.messages.edited}</small>}
        {message.submessages.length > 0 && <Widget app={app} message={message} />}
        <Reactions app={app} message={message} />
      </div>
      {!isBeingEdited && (
        <MessageActions app={app} message={message} hasButtons={isReached.value} />
      )}
    </article>
  );
}
