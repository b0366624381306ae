/** Lists of what was written and not sent yet: drafts, and what the server sends later. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationKey, narrowOf, streamNarrow } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { home } from '../../data/place.ts';
import type { Place } from '../../data/place.ts';
import { cancelScheduled, conversationOfScheduled } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../parts/names.ts';
import { Blank } from '../parts/blank.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { formatLongMoment } from '../parts/time.ts';
import { ActionButton } from '../settings/action-button.tsx';
import type { Action } from '../settings/action-button.tsx';

type Written = {
  readonly key: string | number;
  readonly conversation: Conversation;
  /** When it was written last, or is sent, seconds since 1970. */
  readonly at: number;
  readonly content: ComponentChildren;
  readonly actions: readonly Action[];
};

type WrittenListProps = {
  readonly app: App;
  /** `none` is said where there is nothing. */
  readonly about: { readonly title: string; readonly none: string; readonly hint: string };
  readonly written: readonly Written[];
};

function WrittenList({ app, about: { title, none, hint }, written }: WrittenListProps) {
  const titleId = useId();
  return (
    <section class="page written-list" aria-labelledby={titleId}>
      <h1 id={titleId}>{title}</h1>
      {written.length === 0 ? <Blank title={none} hint={hint} /> : <p class="hint">{hint}</p>}
      {written.map(({ key, conversation, at, content, actions }) => {
        const name = nameOfConversation(app.state, conversation);
        return (
          <article key={key} aria-label={name}>
            <header class="row">
              <strong>
                <a href={app.addressOf(placeOf(conversation))}>{name}</a>
              </strong>{' '}
              <time>{formatLongMoment(at, app.state.settings.value)}</time>
            </header>
            {content}
            <div class="row">
              {actions.map((action) => (
                <ActionButton key={action.label} about={name} {...action} />
              ))}
            </div>
          </article>
        );
      })}
    </section>
  );
}

function placeOf(conversation: Conversation): Place {
  // Whom it is for is chosen where it is written.
  if (conversation.type === 'private' && conversation.userIds.length === 0) return home;
  const isWithoutTopic = conversation.type === 'stream' && conversation.topic === '';
  const narrow = isWithoutTopic ? streamNarrow(conversation.streamId) : narrowOf(conversation);
  return { view: 'messages', narrow };
}

/** Shows where the draft goes, with the draft to be written on. */
function open(app: App, conversation: Conversation): void {
  app.navigate(placeOf(conversation));
  app.composing.value = conversation;
}

/** What was written and not sent. */
export function DraftsView({ app }: { readonly app: App }) {
  const { continue: goOn, delete: remove, hintHere } = texts.drafts;
  const isKept = app.state.settings.value.enable_drafts_synchronization;
  const written = app.drafts.all.value.map(({ conversation, content, changedAt }) => ({
    key: conversationKey(conversation),
    conversation,
    at: changedAt / 1_000,
    content: <p class="source">{content}</p>,
    actions: [
      { label: goOn, run: async () => open(app, conversation) },
      { label: remove, run: async () => app.drafts.delete(conversation) },
    ],
  }));
  const about = isKept ? texts.drafts : { ...texts.drafts, hint: hintHere };
  return <WrittenList app={app} about={about} written={written} />;
}

/** What the server sends later, in the order of its times. */
export function ScheduledView({ app }: { readonly app: App }) {
  const written = app.state.rest.value.scheduled_messages.map((message) => ({
    key: message.scheduled_message_id,
    conversation: conversationOfScheduled(message, app.state),
    at: message.scheduled_delivery_timestamp,
    content: <RenderedHtml html={message.rendered_content} />,
    actions: [{ label: texts.scheduled.cancel, run: () => cancelScheduled(app, message) }],
  }));
  return <WrittenList app={app} about={texts.scheduled} written={written} />;
}
