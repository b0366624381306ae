import { computed, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { findCompletions } from '../../data/completion.ts';
import type { Completion, CompletionSources } from '../../data/completion.ts';
import { characterOf, loadEmoji, pictureEmoji, unicodeEmoji } from '../../data/emoji.ts';
import { narrowOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import type { Person, Stream } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { FormatButtons, formatByKey } from './formatting.tsx';
import { indentItem, newLine } from './list-lines.ts';
import { pasteInto } from './pasting.ts';
import { SuggestionList, useSuggestions } from './suggestions.tsx';
import type { WrittenText } from './written-text.ts';

/** Messages of the conversation whose senders come first. */
const recentMessagesMax = 50;

function recentSenders(app: App, conversation: Conversation): readonly Person[] {
  const ids = app.lists.open(narrowOf(conversation)).ids.peek().slice(-recentMessagesMax);
  return ids.toReversed().flatMap((id) => {
    const senderId = app.lists.store.find(id)?.peek().sender_id ?? 0;
    return app.state.people.value.get(senderId) ?? [];
  });
}

function completionSourcesOf(app: App, conversation: Conversation): CompletionSources {
  const { people, streams, subscriptions, realm } = app.state;
  const everybody = [...people.value.values()].toSorted((one, other) =>
    one.full_name.localeCompare(other.full_name),
  );
  const isForeign = ({ stream_id }: Stream): number => (subscriptions.value.has(stream_id) ? 0 : 1);
  const emoji = [
    ...pictureEmoji(realm.value),
    ...unicodeEmoji.value.flatMap((category) => category.emoji),
  ].flatMap(({ names, emoji_code, reaction_type }) =>
    names.map((name) => ({
      name,
      character: reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : undefined,
    })),
  );
  return {
    people: [...new Set([...recentSenders(app, conversation), ...everybody])].filter(
      ({ isActive }) => isActive,
    ),
    groups: realm.value.realm_user_groups,
    streams: [...streams.value.values()].toSorted(
      (one, other) => isForeign(one) - isForeign(other) || one.name.localeCompare(other.name),
    ),
    topicsOf: (streamId) => app.topics.of(streamId).value,
    emoji: emoji.toSorted((one, other) => one.name.length - other.name.length),
    hasWildcards: conversation.type === 'stream',
  };
}

/** Before what is no mention. */
const kindMarks: Partial<Record<Completion['kind'], string>> = { stream: '#', topic: '>' };

/** Keyboards of screens have no other key that begins a line. */
export function doesEnterSend({ state }: App): boolean {
  return state.settings.value.enter_sends && !matchMedia('(pointer: coarse)').matches;
}

function isMessageSentBy(app: App, event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.isComposing) return false;
  return event.ctrlKey || event.metaKey || (doesEnterSend(app) && !event.shiftKey && !event.altKey);
}

/** Enter goes on with a list, Tab indents in it. */
function editList(event: KeyboardEvent, field: WrittenText): void {
  const textarea = field.textarea.current;
  if (textarea === null || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const { value, selectionStart, selectionEnd } = textarea;
  if (selectionStart !== selectionEnd) return;
  const replacement =
    event.key === 'Enter'
      ? newLine(value, selectionEnd)
      : event.key === 'Tab'
        ? indentItem(value, selectionEnd, event.shiftKey)
        : undefined;
  if (replacement === undefined) return;
  event.preventDefault();
  const { text, start, end } = replacement;
  field.insert(text, { start, end });
  // The cursor stays where it was in the line.
  const cursor = selectionEnd + text.length - (end - start);
  textarea.setSelectionRange(cursor, cursor);
}

/** What the text before the cursor can be completed to, and a function that is to be told when the cursor moves. */
function useCompletions(app: App, field: WrittenText, conversation: Conversation) {
  const cursor = useSignal(0);
  const text = field.text.value;
  const sources = useMemo(
    () => computed(() => completionSourcesOf(app, conversation)),
    [app, conversation],
  );
  const completions = findCompletions(text, cursor.value, sources.value);
  const suggestions = useSuggestions(
    completions?.items ?? [],
    `${completions?.start} ${text.slice(completions?.start, cursor.value)}`,
    ({ insert }) => {
      field.insert(insert, { start: completions?.start ?? 0, end: cursor.value });
    },
  );
  useSignalEffect(() => {
    if (/:[a-z]/.test(field.text.value)) void loadEmoji().catch(() => undefined);
  });
  const readCursor = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }): void => {
    const { selectionStart, selectionEnd } = currentTarget;
    const isWriting = document.activeElement === currentTarget;
    cursor.value = isWriting && selectionStart === selectionEnd ? selectionEnd : 0;
  };
  return { suggestions, readCursor };
}

type MessageFieldProps = {
  readonly app: App;
  readonly field: WrittenText;
  /** Where the text goes. */
  readonly conversation: Conversation;
};

/** The text field for a message: it grows, completes names, and sends the form that it is in. */
export function MessageField({ app, field, conversation }: MessageFieldProps) {
  const { suggestions, readCursor } = useCompletions(app, field, conversation);
  return (
    <div class="suggesting compose-field">
      <FormatButtons field={field} />
      <textarea
        ref={field.attach}
        aria-label={texts.compose.message}
        placeholder={texts.compose.message}
        rows={1}
        value={field.text}
        {...suggestions.attributes}
        onInput={(event) => {
          field.write(event.currentTarget.value);
          readCursor(event);
        }}
        onSelect={readCursor}
        onBlur={readCursor}
        onKeyDown={(event) => {
          if (suggestions.handleKey(event) || formatByKey(event, field)) return;
          if (isMessageSentBy(app, event)) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          } else editList(event, field);
        }}
        onPaste={(event) => pasteInto(field, event)}
      />
      <SuggestionList
        suggestions={suggestions}
        label={texts.compose.suggestions}
        keyOf={({ insert }) => insert}
      >
        {({ kind, label, detail }) => (
          <>
            <span class="suggestion-mark">
              {kind === 'emoji' ? detail : (kindMarks[kind] ?? '@')}
            </span>
            <span>{label}</span>
            {kind !== 'emoji' && (
              <small class="line">{kind === 'wildcard' ? texts.compose.everybody : detail}</small>
            )}
          </>
        )}
      </SuggestionList>
    </div>
  );
}
