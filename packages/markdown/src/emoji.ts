import { extraEmoji, findEmojiCode, namesOfEmojiCode } from './emoji-catalogue.ts';
import { wordClass } from './inline-run.ts';
import type { InlinePass, InlineRun } from './inline-run.ts';

const namedEmoji = new RegExp(String.raw`:([${wordClass}+-]+):`, 'gu');

function addImage(run: InlineRun, name: string, url: string): string {
  return run.add({
    kind: 'void',
    tag: 'img',
    attributes: [
      ['alt', `:${name}:`],
      ['class', 'emoji'],
      ['src', url],
      ['title', name.replaceAll('_', ' ')],
    ],
  });
}

function addSpan(run: InlineRun, name: string, code: string): string {
  const label = name.replaceAll('_', ' ');
  return run.add({
    kind: 'element',
    tag: 'span',
    attributes: [
      ['aria-label', label],
      ['class', `emoji emoji-${code}`],
      ['role', 'img'],
      ['title', label],
    ],
    content: run.add({ kind: 'text', text: `:${name}:` }),
  });
}

/** `:name:`: custom emoji first, then the extra one, then Unicode names (reference facts, markdown 9). */
export const emojiNames: InlinePass = (text, run) => {
  return text.replaceAll(namedEmoji, (whole, name: string) => {
    const custom = run.context.realmEmoji(name);
    if (custom !== undefined) return addImage(run, name, custom.url);
    if (name === extraEmoji.name) return addImage(run, name, extraEmoji.url);
    const code = findEmojiCode(name);
    return code === undefined ? whole : addSpan(run, name, code);
  });
};

const emoticonNames: Record<string, string> = {
  ':)': 'slight_smile',
  '(:': 'slight_smile',
  ':(': 'frown',
  '<3': 'heart',
  ':|': 'expressionless',
  ':/': 'confused',
};
const emoticon = /(?<![^ \n,.;?!()[\]"'])(?::\)|\(:|:\(|<3|:\||:\/)(?![^ \n,.;?!()[\]"'])/g;

/** Emoticons, only if the sender wants them (reference facts, markdown 9). */
export const emoticons: InlinePass = (text, run) => {
  if (run.context.settings.translateEmoticons !== true) return text;
  return text.replaceAll(emoticon, (whole) => {
    const name = emoticonNames[whole];
    const code = name === undefined ? undefined : findEmojiCode(name);
    return name === undefined || code === undefined ? whole : addSpan(run, name, code);
  });
};

/** Several characters that may be one emoji: joined by U+200D, with a skin tone, or a flag with tags. */
const joinedEmoji =
  /\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}|\p{Emoji}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Emoji}\uFE0F?\p{Emoji_Modifier}?)+|\p{Emoji}\p{Emoji_Modifier}/gu;
const presentable = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
const namedSequence = /^\p{RGI_Emoji}$/v;

/** The ranges of raw characters that become emoji (reference facts, markdown 9). */
const rawEmoji =
  /[\u{1F100}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u2000-\u206F\u2300-\u27BF\u2900-\u297F\u2B00-\u2BFF\u3000-\u303F\u3200-\u32FF]/gu;

/** What Unicode names a sequence is complete with U+FE0F behind each character that is shown as text without it. */
function isNamedSequence(characters: string): boolean {
  const complete = characters.replaceAll('\uFE0F', '').replaceAll(presentable, '$&\uFE0F');
  return namedSequence.test(complete);
}

/** Raw Unicode emoji: a sequence in whole, or else one code point at a time. Without a picture it stays as it is. */
export const unicodeEmoji: InlinePass = (text, run) => {
  const show = (characters: string): string => {
    const points = Array.from(characters.replaceAll('\uFE0F', ''));
    const code = points
      .map((point) => (point.codePointAt(0) ?? 0).toString(16).padStart(4, '0'))
      .join('-');
    const [name] = namesOfEmojiCode(code);
    return name === undefined ? characters : addSpan(run, name, code);
  };
  const showEach = (part: string): string => part.replaceAll(rawEmoji, show);
  let output = '';
  let at = 0;
  for (const { 0: sequence, index } of text.matchAll(joinedEmoji)) {
    if (!isNamedSequence(sequence)) continue;
    output += showEach(text.slice(at, index)) + show(sequence);
    at = index + sequence.length;
  }
  return output + showEach(text.slice(at));
};
