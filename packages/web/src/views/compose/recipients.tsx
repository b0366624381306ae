import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { rankName, foldText } from '../../data/completion.ts';
import type { Conversation } from '../../data/narrow.ts';
import type { Person } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { Avatar } from '../parts/avatar.tsx';
import type { Composer } from './composer.ts';
import { SuggestionList, useSuggestions } from './suggestions.tsx';

const topicLengthMax = 60;
const suggestedMax = 8;
const recipientsMax = 100;

type StreamConversation = Extract<Conversation, { readonly type: 'stream' }>;
type PrivateConversation = Extract<Conversation, { readonly type: 'private' }>;

/** Where the text goes: a stream and its topic, or people. */
export function Recipients({
  app,
  composer,
  conversation,
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly conversation: Conversation;
}) {
  return conversation.type === 'stream' ? (
    <StreamRecipient app={app} composer={composer} conversation={conversation} />
  ) : (
    <PeopleRecipients app={app} composer={composer} conversation={conversation} />
  );
}

function StreamRecipient({
  app,
  composer,
  conversation: { streamId, topic },
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly conversation: StreamConversation;
}) {
  const topicsId = useId();
  const shown = app.state.streams.value.get(streamId);
  const streams = new Map<number, { readonly stream_id: number; readonly name: string }>(
    app.state.subscriptions.value,
  );
  if (shown !== undefined) streams.set(streamId, shown);
  const choose = (id: number, name: string): void =>
    composer.redirect({ type: 'stream', streamId: id, topic: name });
  return (
    <div class="compose-recipients">
      <select
        aria-label={texts.compose.stream}
        value={String(streamId)}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value), topic)}
      >
        {shown === undefined && (
          <option value={String(streamId)}>{texts.compose.chooseStream}</option>
        )}
        {[...streams.values()]
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map(({ stream_id, name }) => (
            <option key={stream_id} value={String(stream_id)}>
              {name}
            </option>
          ))}
      </select>
      <Icon name="chevron-right" />
      <input
        aria-label={texts.compose.topic}
        placeholder={texts.compose.noTopic}
        list={topicsId}
        value={topic}
        maxLength={topicLengthMax}
        autoComplete="off"
        onChange={({ currentTarget }) => choose(streamId, currentTarget.value.trim())}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          choose(streamId, event.currentTarget.value.trim());
          composer.field.focus();
        }}
      />
      <datalist id={topicsId}>
        {shown !== undefined &&
          app.topics.of(streamId).value.map(({ name }) => <option key={name} value={name} />)}
      </datalist>
    </div>
  );
}

function findPeople(app: App, query: string, chosen: readonly number[]): readonly Person[] {
  const folded = foldText(query.trim());
  if (folded === '') return [];
  return [...app.state.people.value.values()]
    .flatMap((person) => {
      const rank = rankName(person.full_name, folded) ?? rankName(person.email, folded);
      return rank === undefined || !person.isActive || chosen.includes(person.user_id)
        ? []
        : [{ person, rank }];
    })
    .toSorted(
      (one, other) =>
        one.rank - other.rank || one.person.full_name.localeCompare(other.person.full_name),
    )
    .slice(0, suggestedMax)
    .map(({ person }) => person);
}

function PeopleRecipients({
  app,
  composer,
  conversation: { userIds },
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly conversation: PrivateConversation;
}) {
  const query = useSignal('');
  const set = (ids: readonly number[]): void =>
    composer.redirect({
      type: 'private',
      userIds: ids.toSorted((one, other) => one - other),
    });
  const found = userIds.length < recipientsMax ? findPeople(app, query.value, userIds) : [];
  const suggestions = useSuggestions(found, query.value, ({ user_id }) => {
    query.value = '';
    set([...userIds, user_id]);
  });
  return (
    <div class="compose-recipients">
      {userIds.map((id) => (
        <Recipient
          key={id}
          app={app}
          userId={id}
          onRemove={() => set(userIds.filter((each) => each !== id))}
        />
      ))}
      <div class="suggesting">
        <input
          role="combobox"
          aria-label={texts.compose.people}
          aria-expanded={suggestions.items.length > 0}
          {...suggestions.attributes}
          placeholder={userIds.length === 0 ? texts.compose.people : texts.compose.morePeople}
          value={query.value}
          autoComplete="off"
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (suggestions.handleKey(event) || event.isComposing) return;
            if (event.key === 'Enter') composer.field.focus();
            if (event.key === 'Backspace' && query.value === '') set(userIds.slice(0, -1));
          }}
        />
        <SuggestionList
          suggestions={suggestions}
          label={texts.compose.people}
          keyOf={({ user_id }) => String(user_id)}
        >
          {(person) => (
            <>
              <Avatar person={person} size={20} />
              <span>{person.full_name}</span> <small>{person.email}</small>
            </>
          )}
        </SuggestionList>
      </div>
    </div>
  );
}

function Recipient({
  app,
  userId,
  onRemove,
}: {
  readonly app: App;
  readonly userId: number;
  readonly onRemove: () => void;
}) {
  const name = app.state.people.value.get(userId)?.full_name ?? texts.compose.unknownPerson;
  return (
    <span class="pill">
      {name}
      <button type="button" aria-label={texts.compose.removePerson(name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
