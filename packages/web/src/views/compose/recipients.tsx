import { limits } from '@parley/api/limits';
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { ascending } from '../../data/narrow.ts';
import type { Conversation, PrivateConversation, StreamConversation } from '../../data/narrow.ts';
import { bestOf, foldText, rankPerson } from '../../data/ranking.ts';
import type { Person } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { nameOf } from '../parts/names.ts';
import type { Composer } from './composer.ts';
import { SuggestionList, useSuggestions } from './suggestions.tsx';

const suggestedMax = 8;
const recipientsMax = 100;

type RecipientsProps<Kind = Conversation> = {
  readonly composer: Composer;
  readonly conversation: Kind;
};

/** Where the text goes: a stream and its topic, or people. */
export function Recipients({ composer, conversation }: RecipientsProps) {
  return conversation.type === 'stream' ? (
    <StreamRecipient composer={composer} conversation={conversation} />
  ) : (
    <PeopleRecipients composer={composer} conversation={conversation} />
  );
}

function StreamRecipient({ composer, conversation }: RecipientsProps<StreamConversation>) {
  const { streamId, topic } = conversation;
  const { state, topics } = composer.app;
  const topicsId = useId();
  const shown = state.streams.value.get(streamId);
  const names = new Map([...state.subscriptions.value].map(([id, { name }]) => [id, name]));
  names.set(streamId, shown?.name ?? texts.compose.chooseStream);
  const choose = (streamId: number, topic: string): void =>
    composer.redirect({ type: 'stream', streamId, topic: topic.trim() });
  return (
    <div class="compose-recipients">
      <select
        aria-label={texts.compose.stream}
        value={streamId}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value), topic)}
      >
        {[...names]
          .toSorted(([, one], [, other]) => one.localeCompare(other))
          .map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      <Icon name="chevron-right" />
      <input
        // What is being typed stays when the page is drawn again: it is no property.
        key={topic}
        defaultValue={topic}
        aria-label={texts.compose.topic}
        placeholder={texts.compose.noTopic}
        list={topicsId}
        maxLength={limits.topicMaxCodePoints}
        autoComplete="off"
        onChange={({ currentTarget }) => choose(streamId, currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          choose(streamId, event.currentTarget.value);
          composer.field.focus();
        }}
      />
      <datalist id={topicsId}>
        {shown !== undefined &&
          topics.of(streamId).value.map((name) => <option key={name} value={name} />)}
      </datalist>
    </div>
  );
}

function findPeople({ state }: App, query: string, chosen: readonly number[]): readonly Person[] {
  const folded = foldText(query.trim());
  if (folded === '' || chosen.length >= recipientsMax) return [];
  return bestOf(
    [...state.people.value.values()].filter(
      ({ user_id, isActive }) => isActive && !chosen.includes(user_id),
    ),
    (person) => rankPerson(person, folded),
    suggestedMax,
  );
}

function PeopleRecipients({ composer, conversation }: RecipientsProps<PrivateConversation>) {
  const { app } = composer;
  const { userIds } = conversation;
  const query = useSignal('');
  const set = (ids: readonly number[]): void =>
    composer.redirect({ type: 'private', userIds: ascending(ids) });
  const suggestions = useSuggestions(
    findPeople(app, query.value, userIds),
    query.value,
    ({ user_id }) => {
      query.value = '';
      set([...userIds, user_id]);
    },
  );
  return (
    <div class="compose-recipients">
      {userIds.map((id) => (
        <span key={id} class="pill">
          {nameOf(app.state, id)}
          <IconButton
            icon="close"
            label={texts.compose.removePerson(nameOf(app.state, id))}
            onClick={() => set(userIds.filter((each) => each !== id))}
          />
        </span>
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
          onInput={({ currentTarget }) => (query.value = currentTarget.value)}
          onKeyDown={(event) => {
            // What was chosen may still be drawn as a suggestion.
            if ((query.value !== '' && suggestions.handleKey(event)) || event.isComposing) return;
            if (event.key === 'Backspace' && query.value === '') set(userIds.slice(0, -1));
            if (event.key !== 'Enter') return;
            event.preventDefault();
            if (query.value === '') composer.field.focus();
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
              <span>{person.full_name}</span> <small class="line">{person.email}</small>
            </>
          )}
        </SuggestionList>
      </div>
    </div>
  );
}
