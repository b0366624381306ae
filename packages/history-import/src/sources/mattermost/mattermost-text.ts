/** Translates Mattermost's dialect, which is nearly ours: names of people and channels, and emphasis by underscores. */
import { writeLink } from '@parley/markdown';
import { cleanText, isRecord } from '../../reading/row.ts';
import { findGemoji, findSourceEmoji } from '../source-emoji.ts';

export type MattermostNames = {
  /** @returns a mention of the person with a username */
  readonly person: (username: string) => string | undefined;
  /** @returns a link to the channel with a name, in the same team */
  readonly channel: (name: string) => string | undefined;
  /** @returns the emoji of a name, in our markup */
  readonly emoji: (name: string) => string;
};

const code = /(```[\s\S]*?```|`[^`\n]+`)/g;
const address = /(https?:\/\/[^\s<>]+)/g;
const personName = /(?<![\w@./\\-])@([a-z0-9][a-z0-9._-]*)/gi;
const channelName = /(?<![\w~/\\])~([a-z0-9][a-z0-9_-]*)/g;
const emojiName = /:([a-z0-9_+-]{1,64}):/gi;
const titledLink =
  /!?\[([^\]\n]{0,2000})\]\((\S{1,2000}?)(?: {1,10}(?:=\d{0,9}x\d{0,9}|"[^"\n]{0,2000}")){1,10}\)/g;
const underscored = /(?<![\w\\])_(?![\s_])([^_\n]*[^\s_\\])_(?!\w)/g;
const doubled = /(?<![\w\\])__(?![\s_])([^_\n]*[^\s_\\])__(?!\w)/g;

/** A name may be followed by a full stop: the longest known one counts. */
function mention(whole: string, name: string, names: MattermostNames): string {
  const lower = name.toLowerCase();
  for (let end = lower.length; end > 0; end -= 1) {
    const rest = name.slice(end);
    if (rest !== '' && !/^[._-]+$/.test(rest)) break;
    const found = names.person(lower.slice(0, end));
    if (found !== undefined) return found + rest;
  }
  return /^(?:all|channel)[._-]*$/.test(lower) ? `@**all**${name.replace(/^[a-z]+/i, '')}` : whole;
}

const skinTone = /_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/;

/** @returns the code of a standard emoji */
export function findMattermostEmoji(name: string): string | undefined {
  const plain = name.replace(skinTone, '');
  return findSourceEmoji(plain) ?? findGemoji(plain);
}

function translatePlain(text: string, names: MattermostNames): string {
  return text
    .replaceAll(emojiName, (_whole, name: string) => names.emoji(name))
    .replaceAll(doubled, '**$1**')
    .replaceAll(underscored, '*$1*')
    .replaceAll(personName, (whole, name: string) => mention(whole, name, names))
    .replaceAll(channelName, (whole, name: string) => names.channel(name) ?? whole);
}

/** Links have addresses inside, which are left as they are. */
function translateProse(text: string, names: MattermostNames): string {
  return text
    .replaceAll(titledLink, '[$1]($2)')
    .split(address)
    .map((part, n) => (n % 2 === 1 ? part : translatePlain(part, names)))
    .join('');
}

export function translateMarkdown(written: string, names: MattermostNames): string {
  return cleanText(written)
    .split(code)
    .map((part, n) =>
      n % 2 === 1 ? part.replace(/^```latex\b/, '```math') : translateProse(part, names),
    )
    .join('')
    .trim();
}

const text = (value: unknown): string => (typeof value === 'string' ? cleanText(value) : '');

function translateCard(card: Readonly<Record<string, unknown>>, names: MattermostNames): string {
  const title = text(card['title']);
  const address = text(card['title_link']);
  const fields = Array.isArray(card['fields']) ? card['fields'].filter(isRecord) : [];
  const parts = [
    translateMarkdown(text(card['pretext']), names),
    address === '' || title === '' ? title : writeLink(title, address),
    translateMarkdown(text(card['text']), names),
    ...fields.map(
      (field) => `**${text(field['title'])}**: ${translateMarkdown(text(field['value']), names)}`,
    ),
    text(card['footer']),
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n') : text(card['fallback']);
}

/** @returns the text of a post with its cards, without files; empty if there is nothing in it */
export function translatePost(
  post: Readonly<Record<string, unknown>>,
  names: MattermostNames,
): string {
  const written = translateMarkdown(text(post['message']), names);
  const props = propsOf(post['props']);
  const cards = Array.isArray(props['attachments']) ? props['attachments'].filter(isRecord) : [];
  const shown = [written, ...cards.map((card) => translateCard(card, names))]
    .filter((part) => part !== '')
    .join('\n');
  if (post['type'] === 'me') return `/me ${shown.replace(/^\*(.*)\*$/s, '$1')}`;
  const name = text(props['override_username']) || text(props['webhook_display_name']);
  const plain = shown.startsWith('/') ? `\u2060${shown}` : shown;
  return name === '' || plain === '' ? plain : `**${name}**: ${plain}`;
}

/** Some writers keep them as a text of JSON. */
function propsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
