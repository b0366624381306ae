import type { App } from '../../data/app.ts';
import type { Draft } from '../../data/drafts.ts';
import { narrowOf, streamNarrow } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../compose/conversation-name.ts';
import { formatMoment } from '../compose/moment.ts';

/** What was written and not sent, in this browser. */
export function DraftsView({ app }: { readonly app: App }) {
  const drafts = app.drafts.all.value;
  return (
    <section class="written-list" aria-labelledby="drafts-title">
      <h1 id="drafts-title">{texts.drafts.title}</h1>
      <p class="hint">{texts.drafts.hint}</p>
      {drafts.length === 0 && <p>{texts.drafts.none}</p>}
      <ul>
        {drafts.map((draft) => (
          <li key={draft.key}>
            <DraftItem app={app} draft={draft} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function DraftItem({ app, draft }: { readonly app: App; readonly draft: Draft }) {
  const { key, conversation, content, changedAt } = draft;
  const name = nameOfConversation(app.state, conversation);
  const open = (): void => {
    const isUnfinished =
      conversation.type === 'stream'
        ? conversation.topic === ''
        : conversation.userIds.length === 0;
    const narrow =
      conversation.type === 'stream' && isUnfinished
        ? streamNarrow(conversation.streamId)
        : narrowOf(conversation);
    app.navigate({ view: 'messages', narrow, near: undefined });
    app.composing.value = conversation;
  };
  return (
    <article aria-label={name}>
      <header>
        <strong>{name}</strong>{' '}
        <time>{formatMoment(new Date(changedAt), app.state.settings.value)}</time>
      </header>
      <p class="source">{content}</p>
      <button type="button" onClick={open}>
        {texts.drafts.continue}
      </button>
      <button type="button" class="plain" onClick={() => app.drafts.delete(key)}>
        {texts.drafts.delete}
      </button>
    </article>
  );
}
