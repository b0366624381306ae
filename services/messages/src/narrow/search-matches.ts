/** Marks the hits in found messages (reference facts, messages 9). */
import type { HangUpSignal } from '@parley/api';
import type { Turns } from '@parley/server';
import { SourceText, escapeTopic, wordFinder, readHtml } from '@parley/store';
import type { TextRange } from '@parley/store';

export type RenderedMessage = { readonly topic: string; readonly renderedContent: string };

/** The fields of a found message. */
export type SearchMatch = {
  readonly match_content: string;
  readonly match_subject: string;
};

const opening = '<span class="highlight">';
const closing = '</span>';

function wrap(
  source: string,
  text: SourceText,
  hits: readonly TextRange[],
  show: (part: string) => string,
): string {
  let wrapped = '';
  let at = 0;
  for (const { start, end } of hits.flatMap((hit) => text.sourceRanges(hit.start, hit.end))) {
    wrapped += `${show(source.slice(at, start))}${opening}${show(source.slice(start, end))}${closing}`;
    at = end;
  }
  return wrapped + show(source.slice(at));
}

const asIs = (part: string): string => part;

/**
 * Wraps the hits in the HTML and the topic of messages; the rest stays unchanged.
 *
 * @param searchedWords if empty, nothing is marked
 */
export function hitMarker(
  searchedWords: readonly string[],
): (message: RenderedMessage) => SearchMatch {
  const find = wordFinder(searchedWords);
  return ({ topic, renderedContent }) => {
    if (searchedWords.length === 0)
      return { match_content: renderedContent, match_subject: escapeTopic(topic) };
    const content = readHtml(renderedContent);
    const subject = new SourceText();
    subject.addText(topic, 0);
    return {
      match_content: wrap(renderedContent, content, find(content.folded), asIs),
      match_subject: wrap(topic, subject, find(subject.folded), escapeTopic),
    };
  };
}

/** A few milliseconds of marking; long messages come alone. */
const charactersPerTurn = 10_000;

/** How a search is marked beside other work. */
export type Marking = {
  readonly turns: Turns;
  /** Aborted when nobody waits for the answer. */
  readonly signal: HangUpSignal;
};

/**
 * Marks the hits in messages, a few messages in each turn of the event loop: a page of long ones takes seconds.
 *
 * @returns the fields of each message, in the given order
 * @throws an `AbortError` if nobody waits for the answer
 */
export async function matchMessages(
  messages: readonly RenderedMessage[],
  searchedWords: readonly string[],
  { turns, signal }: Marking,
): Promise<SearchMatch[]> {
  const mark = hitMarker(searchedWords);
  const matches: SearchMatch[] = [];
  let characters = 0;
  for (const message of messages) {
    if (characters > charactersPerTurn) {
      characters = 0;
      await turns.take();
      if (signal.aborted) throw new DOMException('nobody waits for the answer', 'AbortError');
    }
    characters += message.renderedContent.length;
    matches.push(mark(message));
  }
  return matches;
}
