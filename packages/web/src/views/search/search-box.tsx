import { untracked, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { report } from '../../data/notices.ts';
import type { SearchSources } from '../../data/search-suggestions.ts';
import { texts } from '../../texts.ts';
import { SuggestionList, useSuggestions } from '../compose/suggestions.tsx';
import { Icon } from '../icon.tsx';
import { focusMain } from '../parts/focus.ts';
import { searchTextOf } from './search-text.ts';

/** Longer searches say no more. */
const searchMaxLength = 500;

/** Read when somebody first searches. */
const loadGrammar = () => import('../../data/search-suggestions.ts');

function sourcesOf(app: App): SearchSources {
  const { activePeople, people, streams, formerStreams } = app.state;
  const shown = [...streams.value.values()];
  const former = [...formerStreams.value].map(([stream_id, name]) => ({ stream_id, name }));
  return {
    people: activePeople.value,
    everybody: [...people.value.values()],
    streams: shown,
    allStreams: [...shown, ...former],
    topicsOf: (streamId) => app.topics.of(streamId).value,
  };
}

/** One of what is offered below the field. */
type Offer = { readonly term: string; readonly detail: string; readonly text: string | undefined };

/** The text of a search, which follows the place, what is offered for it, and searching. */
function useSearch(app: App) {
  const text = useSignal('');
  const grammar = useSignal<Awaited<ReturnType<typeof loadGrammar>> | undefined>(undefined);
  const isAsked = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  useSignalEffect(() => {
    const place = app.place.value;
    text.value = untracked(() => searchTextOf(place, app.state));
    fault.value = undefined;
  });
  const offers = useComputed((): readonly Offer[] => {
    const typed = text.value.trim();
    if (!isAsked.value) return [];
    const ways = grammar.value?.suggestSearches(text.value, sourcesOf(app)) ?? [];
    if (typed === '') return ways;
    return [{ term: texts.search.searchFor(typed), detail: '', text: undefined }, ...ways];
  });
  const ask = async (): Promise<void> => {
    isAsked.value = true;
    grammar.value = await loadGrammar();
  };
  const start = async (): Promise<void> => {
    const { parseSearch } = await loadGrammar();
    const search = parseSearch(text.value, sourcesOf(app));
    fault.value = search.fault;
    if (search.fault !== undefined) return;
    if (search.narrow.length > 0) app.navigate({ view: 'messages', narrow: search.narrow });
    focusMain();
  };
  return { text, offers, isAsked, fault, ask: () => report(ask()), start: () => report(start()) };
}

/** The field that messages are searched by, with operators. */
export function SearchBox({ app }: { readonly app: App }) {
  const { text, offers, isAsked, fault, ask, start } = useSearch(app);
  const faultId = useId();
  const suggestions = useSuggestions(
    fault.value === undefined ? offers.value : [],
    text.value,
    (offer) => {
      if (offer.text === undefined) start();
      else text.value = offer.text;
    },
  );
  return (
    <form
      class="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <Icon name="search" />
      <input
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
        aria-invalid={fault.value !== undefined}
        aria-describedby={faultId}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          fault.value = undefined;
        }}
        onKeyDown={(event) => {
          if (!suggestions.handleKey(event) && event.key === 'Escape') focusMain();
        }}
        onFocus={ask}
        onBlur={() => (isAsked.value = false)}
      />
      <p id={faultId} class="search-fault" role="alert">
        {fault}
      </p>
      <SuggestionList
        suggestions={suggestions}
        label={texts.search.suggestions}
        keyOf={({ term }) => term}
      >
        {({ term, detail }) => (
          <>
            <span>{term}</span>
            <small class="line">{detail}</small>
          </>
        )}
      </SuggestionList>
    </form>
  );
}
