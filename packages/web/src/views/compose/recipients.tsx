import { limits } from '@parley/api/limits';
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { ascending } from '../../data/narrow.ts';
import type { Conversation, PrivateConversation, StreamConversation } from '../../data/narrow.ts';
import { bestOf, foldText, rankName, rankPerson } from '../../data/ranking.ts';
import type { Person, Stream } from '../../data/state.ts';
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

/** @returns streams with a name like what was typed, the person's own first */
function findStreams({ state }: App, query: string): readonly Stream[] {
  const own = state.subscriptions.value;
  const all = [...state.streams.value.values()].toSorted(
    (one, other) =>
      Number(own.has(other.stream_id)) - Number(own.has(one.stream_id)) ||
      one.name.localeCompare(other.name),
  );
  return bestOf(all, ({ name }) => rankName(name, foldText(query.trim())), suggestedMax);
}

type StreamFieldProps = {
  readonly app: App;
  readonly streamId: number;
  readonly onChoose: (streamId: number) => void;
};

/** The stream, chosen by typing a part of its name. */
function StreamField({ app, streamId, onChoose }: StreamFieldProps) {
  // Undefined while nobody types.
  const query = useSignal<string | undefined>(undefined);
  const suggestions = useSuggestions(
    query.value === undefined ? [] : findStreams(app, query.value),
    query.value ?? '',
    ({ stream_id }) => {
      query.value = undefined;
      onChoose(stream_id);
    },
  );
  const name = app.state.streams.value.get(streamId)?.name ?? '';
  return (
    <div class="suggesting">
      <input
        role="combobox"
        aria-label={texts.compose.stream}
        aria-expanded={suggestions.items.length > 0}
        {...suggestions.attributes}
        placeholder={texts.compose.chooseStream}
        value={query.value ?? name}
        autoComplete="off"
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => (query.value = currentTarget.value)}
        onBlur={() => (query.value = undefined)}
        onKeyDown={(event) => {
          // What was chosen may still be drawn as a suggestion.
          if (query.value !== undefined && suggestions.handleKey(event)) return;
          if (event.key === 'Enter' && !event.isComposing) event.preventDefault();
        }}
      />
      <SuggestionList
        suggestions={suggestions}
        label={texts.compose.stream}
        keyOf={({ stream_id }) => String(stream_id)}
      >
        {({ name, invite_only, description }) => (
          <>
            <Icon name={invite_only ? 'lock' : 'hash'} />
            <span>{name}</span> <small class="line">{description}</small>
          </>
        )}
      </SuggestionList>
    </div>
  );
}

function StreamRecipient({ composer, conversation }: RecipientsProps<StreamConversation>) {
  const { streamId, topic } = conversation;
  const { app } = composer;
  const topicsId = useId();
  const topicField = useRef<HTMLInputElement>(null);
  const choose = (streamId: number, topic: string): void =>
    composer.redirect({ type: 'stream', streamId, topic: topic.trim() });
  return (
    <div class="compose-recipients">
      <StreamField
        app={app}
        streamId={streamId}
        onChoose={(chosenId) => {
          choose(chosenId, topicField.current?.value ?? '');
          topicField.current?.focus();
        }}
      />
      <Icon name="chevron-right" />
      <input
        ref={topicField}
        // What is being typed stays when the page is drawn again: it is no property.
        key={topic}
        defaultValue={topic}
        aria-label={texts.compose.topic}
        placeholder={texts.compose.topic}
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
        {app.state.streams.value.has(streamId) &&
          app.topics.of(streamId).value.map((name) => <option key={name} value={name} />)}
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
