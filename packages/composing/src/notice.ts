/**
 * Markdown that the server writes itself. Texts that users or other systems chose (names, addresses, error texts, payloads) enter it only
 * through the tag `notice`, which quotes them: they are shown literally, mention nobody, and make no unintended link. A `Notice` is made
 * only here, and the functions that send such texts accept nothing else.
 */
import { narrowEncode, streamOperand } from '@parley/markdown';
import type { NamedInMessage } from '@parley/store';

type Person = NamedInMessage['users'][number] & { readonly isActive: boolean };
type Stream = NamedInMessage['streams'][number];

class Notice {
  /** Private, so that no other object has this type. */
  readonly #content: string;
  /**
   * The objects that its mentions and links mean, as of when the notice was written. If they were looked up at sending, a person could have
   * another name by then, and the mention would become markdown that this person chose.
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

/** The renderer drops some control characters, which could split a mark. */
const unseen = /[\s\p{Cc}]+/gu;
/** Texts that the renderer reads as character references, even in code. */
const characterReference = /&(?=(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

function longestTickRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/**
 * A message that is too long is cut, and a cut quote would become markdown again. So quotes and lists have bounds far below that length.
 */
const quotedMaxCodePoints = 500;
const listedMaxCodePoints = 8_000;

function cut(text: string, maxCodePoints: number): string {
  const characters = Array.from(text);
  return characters.length <= maxCodePoints
    ? text
    : `${characters.slice(0, maxCodePoints).join('')}…`;
}

/** A foreign text as inline code, where nothing is a mention, a link or an emoji. */
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
 * Makes a text of the server that may contain foreign texts.
 *
 * @param words strings are quoted; numbers and notices are inserted unchanged
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
 * @param before the text before each notice
 * @returns as many notices as fit into a message, and the number of the others
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

/** A name in bold, or as code if markdown would change it. */
export function bold(name: string): Notice {
  return plainName.test(name) ? new Notice(`**${name}**`) : quoted(name);
}

/** The name of a stream that may not exist, in the form of a stream link. */
export function streamName(name: string): Notice {
  return plainName.test(name) ? new Notice(`#**${name}**`) : quoted(name);
}

/** Names that would end a link to a stream early, or that an earlier rule would change. */
const unlinkable = /[*>`@\p{C}\p{Zl}\p{Zp}]|\$\$|&#?\w+;/u;

/** A link to a stream. Everyone who reads it learns the name. */
export function streamLink(stream: Stream): Notice {
  const { name } = stream;
  if (!unlinkable.test(name)) return new Notice(`#**${name}**`, { streams: [stream] });
  return link(name, `#narrow/stream/${streamOperand(stream)}`);
}

/** A link to a topic of a stream. Everyone who reads it learns both names. */
export function topicLink(stream: Stream, topic: string): Notice {
  const { name } = stream;
  if (!unlinkable.test(name) && !unlinkable.test(topic))
    return new Notice(`#**${name}>${topic}**`, { streams: [stream] });
  const narrow = `#narrow/stream/${streamOperand(stream)}/topic/${narrowEncode(topic)}`;
  return link(`#${name} > ${topic}`, narrow);
}

/**
 * @param label quoted, if it is a string
 * @param url contains foreign text only in encoded form
 */
export function link(label: string | Notice, url: string): Notice {
  return notice`[${label}](${new Notice(url)})`;
}

/** Names that an earlier rule would change, or that are displayed differently. */
const unmentionable = /[*`\p{C}]|&#?\w+;/u;

function mentionWith(sign: '@' | '@_', person: Person): Notice {
  const { id, fullName, isActive } = person;
  if (!isActive || unmentionable.test(fullName)) return quoted(fullName);
  return new Notice(`${sign}**${fullName}|${id}**`, { users: [person] });
}

/** Mentions a person, who is notified if the message is for that person. A deactivated person is only named. */
export function mention(person: Person): Notice {
  return mentionWith('@', person);
}

/** Names a person without notifying anybody. */
export function silentMention(person: Person): Notice {
  return mentionWith('@_', person);
}

/** Longer quotes would fill the message; the log has the details of a fault. */
const blockMaxCodePoints = 2_000;

/**
 * @param maxCodePoints the text is cut here
 * @returns a foreign text as a code block that its content cannot end
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
