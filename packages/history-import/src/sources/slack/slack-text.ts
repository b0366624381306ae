/** The whole text of a message of Slack: its blocks or its older text, cards and files. */
import { writeLink } from '@parley/markdown';

import { isRecord } from '../../reading/row.ts';
import { filesOf, reasonGone } from './files.ts';
import { listOf, translateBlocks } from './slack-blocks.ts';
import type { Element } from './slack-blocks.ts';
import { link, quote, textOf, translateMrkdwn } from './slack-mrkdwn.ts';
import type { SlackNames } from './slack-mrkdwn.ts';

/** Its text, or the blocks of it or of the message that it shares, whichever says more. */
function translateCardBody(card: Element, names: SlackNames): string {
  const shared = listOf(card['message_blocks']).flatMap(({ message }) =>
    isRecord(message) ? listOf(message['blocks']) : [],
  );
  const texts = [
    translateMrkdwn(textOf(card['text']), names),
    translateBlocks(listOf(card['blocks']), names),
    translateBlocks(shared, names),
  ];
  return texts.reduce((most, text) => (text.length > most.length ? text : most));
}

function translateCard(card: Element, text: string, names: SlackNames): string {
  const address = textOf(card['from_url']) || textOf(card['original_url']);
  const isShared = card['is_msg_unfurl'] === true || card['is_share'] === true;
  // The renderer makes previews of its own.
  if (address !== '' && !isShared && text.includes(address)) return '';
  const body = translateCardBody(card, names);
  if (isShared) return quote([textOf(card['author_name']), body].filter(Boolean).join(': '));
  const title = textOf(card['title']);
  const titleLink = textOf(card['title_link']);
  const parts = [
    translateMrkdwn(textOf(card['pretext']), names),
    textOf(card['author_name']),
    titleLink === '' ? title : link(titleLink, title),
    body,
    ...listOf(card['fields']).map(
      (field) => `**${textOf(field['title'])}**: ${translateMrkdwn(textOf(field['value']), names)}`,
    ),
    link(textOf(card['image_url']), undefined),
    ...listOf(card['files']).map((file) => translateFile(file, names)),
    textOf(card['footer']),
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n') : translateMrkdwn(textOf(card['fallback']), names);
}

/** A file of a message, as a link to it here or at Slack. */
function translateFile(file: Element, names: SlackNames): string {
  const name = (textOf(file['title']) || textOf(file['name']) || 'file').replaceAll('\n', ' ');
  const path = names.file(textOf(file['id']));
  if (path !== undefined) return writeLink(name, `/user_uploads/${encodeURI(path)}`);
  const gone = reasonGone(file);
  if (gone !== undefined) return `(file ${name}, ${gone})`;
  // What follows may be a key that opens all files.
  return link(textOf(file['url_private']).replace(/\?.*$/s, ''), name);
}

/** @returns the whole text of a message; empty if there is nothing in it */
export function translateMessage(message: Element, names: SlackNames): string {
  const written = textOf(message['text']);
  const blocks = listOf(message['blocks']);
  const byBlocks = translateBlocks(blocks, names);
  const byText = translateMrkdwn(written, names);
  const isRich = blocks.some(({ type }) => type === 'rich_text' || type === 'table');
  const main =
    isRich || byText === '' || byBlocks.length > byText.length ? byBlocks || byText : byText;
  const cards = listOf(message['attachments']).map((card) => translateCard(card, written, names));
  const links = filesOf(message).map((file) => translateFile(file, names));
  return [main, ...cards, ...links].filter((part) => part !== '').join('\n');
}
