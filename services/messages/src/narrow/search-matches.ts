/** Marks the hits in found messages (reference facts, messages 9). */
import type { Queryable } from '@parley/database';
import { SourceText, escapeTopic, findWordRanges, readHtml } from '@parley/store';
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
 * @param searchedWords the words in their indexed form; if empty, nothing is marked
 * @returns the fields of each message, in the given order
 */
export async function matchMessages(
  db: Queryable,
  messages: readonly RenderedMessage[],
  searchedWords: readonly string[],
): Promise<SearchMatch[]> {
  if (searchedWords.length === 0) {
    return messages.map(({ topic, renderedContent }) => ({
      match_content: renderedContent,
      match_subject: escapeTopic(topic),
    }));
  }
  const texts = messages.map(({ topic, renderedContent }) => {
    const subject = new SourceText();
    subject.addText(topic, 0);
    return { content: readHtml(renderedContent), subject };
  });
  const ranges = await findWordRanges(
    db,
    texts.flatMap(({ content, subject }) => [content.folded, subject.folded]),
    searchedWords,
  );
  return messages.map(({ topic, renderedContent }, n) => {
    const text = texts[n] ?? { content: new SourceText(), subject: new SourceText() };
    return {
      match_content: wrap(renderedContent, text.content, ranges[2 * n] ?? [], asIs),
      match_subject: wrap(topic, text.subject, ranges[2 * n + 1] ?? [], escapeTopic),
    };
  });
}
