import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { parseSearch, suggestSearches } from '../../data/search-suggestions.ts';
import type { SearchSources } from '../../data/search-suggestions.ts';
import { texts } from '../../texts.ts';
import { SuggestionList, useSuggestions } from '../compose/suggestions.tsx';
import { Icon } from '../icon.tsx';

/** Longer searches say no more. */
const searchMaxLength = 500;

function sourcesOf(app: App): SearchSources {
  return {
    people: app.state.activePeople.value,
    streams: [...app.state.streams.value.values()],
    topicsOf: (streamId) => app.topics.of(streamId).value.map(({ name }) => name),
  };
}

/** One of what is offered below the field. */
type Offer = { readonly term: string; readonly detail: string; readonly text: string | undefined };

/** The text of a search, what is offered for it, and searching. */
function useSearch(app: App) {
  const text = useSignal('');
  useSignalEffect(() => {
    // The search of a place that was left is over.
    const { value } = app.place;
    const isSearch =
      value.view === 'messages' && value.narrow.some(({ operator }) => operator === 'search');
    if (!isSearch) text.value = '';
  });
  const offers = useComputed((): readonly Offer[] => {
    if (text.value.trim() === '') return [];
    const search = { term: texts.search.searchFor(text.value.trim()), detail: '', text: undefined };
    return [search, ...suggestSearches(text.value, sourcesOf(app))];
  });
  const start = (): void => {
    const narrow = parseSearch(text.value, sourcesOf(app));
    if (narrow.length > 0) app.navigate({ view: 'messages', narrow, near: undefined });
  };
  return { text, offers, start };
}

/** The field that messages are searched by, with operators. */
export function SearchBox({ app }: { readonly app: App }) {
  const { text, offers, start } = useSearch(app);
  const field = useRef<HTMLInputElement>(null);
  const search = (): void => {
    start();
    field.current?.blur();
  };
  const hasFocus = useSignal(false);
  const suggestions = useSuggestions(
    hasFocus.value ? offers.value : [],
    text.value,
    (offer: Offer) => {
      if (offer.text === undefined) search();
      else text.value = offer.text;
    },
  );
  return (
    <form
      class="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        id="search"
        type="text"
        role="combobox"
        aria-label={texts.search.label}
        aria-expanded={suggestions.items.length > 0}
        placeholder={texts.search.placeholder}
        autocomplete="off"
        spellcheck={false}
        maxLength={searchMaxLength}
        value={text.value}
        {...suggestions.attributes}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (!suggestions.handleKey(event) && event.key === 'Escape') field.current?.blur();
        }}
        onFocus={() => {
          hasFocus.value = true;
        }}
        onBlur={() => {
          hasFocus.value = false;
        }}
      />
      <SuggestionList
        suggestions={suggestions}
        label={texts.search.suggestions}
        keyOf={({ term }) => term}
      >
        {({ term, detail }) => (
          <>
            <span>{term}</span>
            <small>{detail}</small>
          </>
        )}
      </SuggestionList>
    </form>
  );
}
