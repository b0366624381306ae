/**
 * Markdown that the server writes itself. What others have a say in (names, addresses, error texts, payloads) comes into it through the
 * tag `notice` alone, which quotes it: whatever it is, it is shown as it is, mentions nobody, and links to nothing but what is meant.
 * A `Notice` is made nowhere else, and who sends such texts takes nothing else.
 */
import { narrowEncode } from '@parley/markdown';
import type { NamedInMessage } from '@parley/store';

type Person = NamedInMessage['users'][number] & { readonly isActive: boolean };
type Stream = NamedInMessage['streams'][number];

class Notice {
  /** Makes it a type of its own, so that nothing that only looks like it will do. */
  readonly #content: string;
  /**
   * What its mentions and links stand for, as it was when the notice was written: looked up again when it is sent, somebody could have
   * another name by then, and what was a mention would be markdown of his.
   */
  readonly named: NamedInMessage;

  constructor(content: string, { users = [], streams = [] }: Partial<NamedInMessage> = {}) {
    this.#content = content;
    this.named = { users, streams, groups: [], emoji: [] };
  }

  get content(): string {
    return this.#content;
  }
}

export type { Notice };

/** The renderer drops some control characters, which could part what is one mark without them. */
const unseen = /[\s\p{Cc}]+/gu;
/** What the renderer takes for the reference to a character, in code too. */
const characterReference = /&(?=(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

function longestTickRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/**
 * A message that is too long is cut where it is, and what was quoted would be markdown again: so what is quoted on a line and what is
 * listed has bounds far below that.
 */
const quotedMaxCodePoints = 500;
const listedMaxCodePoints = 8_000;

function cut(text: string, maxCodePoints: number): string {
  const characters = Array.from(text);
  return characters.length <= maxCodePoints
    ? text
    : `${characters.slice(0, maxCodePoints).join('')}…`;
}

/** Words of others as code on one line, where nothing is a mention, a link or an emoji. */
function quoted(words: string): Notice {
  const line = cut(words, quotedMaxCodePoints)
    .replaceAll(unseen, ' ')
    .trim()
    .replaceAll(characterReference, '&amp;');
  const longestRun = longestTickRun(line);
  const fence = '`'.repeat(longestRun + 1);
  const space = longestRun === 0 ? '' : ' ';
  return new Notice(`${fence}${space}${line}${space}${fence}`);
}

function asNotice(word: string | number | Notice): Notice {
  if (typeof word === 'number') return new Notice(String(word));
  return typeof word === 'string' ? quoted(word) : word;
}

/**
 * A text of the server's own with words of others in it.
 *
 * @param words strings are quoted; numbers and notices come in as they are
 */
export function notice(
  texts: TemplateStringsArray,
  ...words: readonly (string | number | Notice)[]
): Notice {
  const parts = texts.flatMap((text, index) => {
    const word = words[index];
    const own = new Notice(text);
    return word === undefined ? [own] : [own, asNotice(word)];
  });
  return joinNotices(parts, '');
}

/**
 * @param before each of them
 * @returns as many of the notices as fit into a message, and how many more there are
 */
export function listNotices(notices: readonly Notice[], between: string, before = ''): Notice {
  let length = 0;
  const items: Notice[] = [];
  for (const [n, one] of notices.entries()) {
    length += before.length + Array.from(one.content).length + between.length;
    const isLast = length > listedMaxCodePoints;
    items.push(isLast ? notice`and ${notices.length - n} more` : one);
    if (isLast) break;
  }
  return joinNotices(
    items.map((item) => joinNotices([new Notice(before), item], '')),
    between,
  );
}

/** @returns all of the notices in one */
export function joinNotices(notices: readonly Notice[], separator: string): Notice {
  return new Notice(notices.map(({ content }) => content).join(separator), {
    users: notices.flatMap(({ named }) => named.users),
    streams: notices.flatMap(({ named }) => named.streams),
  });
}

/**
 * Names of characters that mean nothing to markdown within `**`. The others could make mentions, emoji, links, formulas or references
 * to characters; `!avatar(…)` would be a picture, and `example.com` a link.
 */
const plainName = /^(?:[\p{L}\p{N}\p{M} ,_&/+#'"()=%?|{}-]|[!.](?![\p{L}\p{N}\p{M}]))+$/u;

/** A name in bold, or as code where markdown would read something in it. */
export function bold(name: string): Notice {
  return plainName.test(name) ? new Notice(`**${name}**`) : quoted(name);
}

/** The name of a stream that may not exist, as messages refer to streams. */
export function streamName(name: string): Notice {
  return plainName.test(name) ? new Notice(`#**${name}**`) : quoted(name);
}

/** Names that end a link to a stream early, or of which a rule that comes before such links takes something. */
const unlinkable = /[*>`@\p{C}\p{Zl}\p{Zp}]|\$\$|&#?\w+;/u;

/** A link to a stream. Whoever reads it learns its name. */
export function streamLink(stream: Stream): Notice {
  const { id, name } = stream;
  if (!unlinkable.test(name)) return new Notice(`#**${name}**`, { streams: [stream] });
  const slug = narrowEncode(`${id}-${name.replaceAll(' ', '-')}`);
  return link(name, `#narrow/stream/${slug}`);
}

/**
 * @param label quoted, if it is a string
 * @param url in which nobody had a say but where it was encoded
 */
export function link(label: string | Notice, url: string): Notice {
  return notice`[${label}](${new Notice(url)})`;
}

/** Names of which a rule that comes before mentions takes something, or that are shown in another way. */
const unmentionable = /[*`\p{C}]|&#?\w+;/u;

function mentionWith(sign: '@' | '@_', person: Person): Notice {
  const { id, fullName, isActive } = person;
  if (!isActive || unmentionable.test(fullName)) return quoted(fullName);
  return new Notice(`${sign}**${fullName}|${id}**`, { users: [person] });
}

/** Mentions a person, who is told if the message is for him. Who is deactivated is only named. */
export function mention(person: Person): Notice {
  return mentionWith('@', person);
}

/** Names a person and tells nobody. */
export function silentMention(person: Person): Notice {
  return mentionWith('@_', person);
}

/** Longer quotes would fill the message; whoever looks for a fault has a log. */
const blockMaxCodePoints = 2_000;

/**
 * @param maxCodePoints what is beyond is left out
 * @returns words of others as a block of code that nothing in it can end
 */
export function codeBlock(words: string, maxCodePoints = blockMaxCodePoints): Notice {
  const shown = words
    .toWellFormed()
    .replaceAll(/(?![\n\r\t])\p{Cc}/gu, '')
    .trimEnd();
  const text = Array.from(shown).slice(0, maxCodePoints).join('');
  const fence = '`'.repeat(Math.max(2, longestTickRun(text)) + 1);
  return new Notice(`${fence}\n${text}\n${fence}`);
}
