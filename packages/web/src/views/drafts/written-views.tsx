/** Lists of what was written and not sent yet: drafts, and what the server sends later. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { narrowOf, streamNarrow } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { cancelScheduled, conversationOfScheduled } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../compose/conversation-name.ts';
import { FailureNote, useAttempt } from '../parts/attempt.tsx';
import { Blank } from '../parts/blank.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { formatMoment } from '../parts/time.ts';

type WrittenListProps = {
  readonly title: string;
  /** Said where there is nothing. */
  readonly none: string;
  readonly hint: string;
  readonly children: readonly ComponentChild[];
};

function WrittenList({ title, none, hint, children }: WrittenListProps) {
  const titleId = useId();
  return (
    <section class="written-list" aria-labelledby={titleId}>
      <h1 id={titleId}>{title}</h1>
      {children.length === 0 ? <Blank title={none} hint={hint} /> : <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

/** @param props.actions what can be done with it, by what the buttons say */
function WrittenItem({
  app,
  conversation,
  at,
  actions,
  children,
}: {
  readonly app: App;
  readonly conversation: Conversation;
  /** When it was written last, or is sent. */
  readonly at: Date;
  readonly actions: readonly (readonly [label: string, run: () => Promise<void> | void])[];
  readonly children: ComponentChildren;
}) {
  const { isRunning, failure, run } = useAttempt();
  const name = nameOfConversation(app.state, conversation);
  return (
    <article aria-label={name}>
      <header class="row">
        <strong>{name}</strong> <time>{formatMoment(at, app.state.settings.value)}</time>
      </header>
      {children}
      <div class="row">
        {actions.map(([label, act]) => (
          <button
            key={label}
            type="button"
            disabled={isRunning}
            onClick={() => void run(async () => act())}
          >
            {label}
          </button>
        ))}
      </div>
      <FailureNote failure={failure} />
    </article>
  );
}

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
          conversation={conversationOfScheduled(message, app.state.self.value.user_id)}
          at={new Date(message.scheduled_delivery_timestamp * 1000)}
          actions={[[cancel, () => cancelScheduled(app, message)]]}
        >
          <RenderedHtml html={message.rendered_content} />
        </WrittenItem>
      ))}
    </WrittenList>
  );
}
