import { leftBoundary } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';
import { replaceEach } from './mentions.ts';
import { percentCode } from './url-rules.ts';

const nameClass = String.raw`[^*>\n\u{100000}-\u{10FFFD}]`;
const streamTopic = new RegExp(String.raw`${leftBoundary}#\*\*(${nameClass}+)>([^*\n]+)\*\*`, 'gu');
const streamOnly = new RegExp(String.raw`${leftBoundary}#\*\*(${nameClass}+)\*\*`, 'gu');

/**
 * The dot encoding of names in `#narrow` links (reference facts, markdown 8).
 *
 * @param name of a topic; for a stream there is `streamOperand`
 */
export function narrowEncode(name: string): string {
  return encodeURIComponent(name.toWellFormed())
    .replaceAll(/[!'()*.]/g, (character) => percentCode(character))
    .replaceAll('%', '.');
}

/** @returns how a `#narrow` link names a stream */
export function streamOperand({ id, name }: { id: number; name: string }): string {
  return narrowEncode(`${id}-${name.replaceAll(' ', '-')}`);
}

function streamHref(stream: { id: number; name: string }): string {
  return `/#narrow/stream/${streamOperand(stream)}`;
}

/** `#**stream>topic**` (reference facts, markdown 8). */
export const streamTopicLinks: InlinePass = (text, run) => {
  return replaceEach(text, streamTopic, (match) => {
    const stream = run.context.streamByName(match[1] ?? '');
    if (stream === undefined) return undefined;
    const topic = match[2] ?? '';
    return run.add({
      kind: 'element',
      tag: 'a',
      attributes: [
        ['class', 'stream-topic'],
        ['data-stream-id', String(stream.id)],
        ['href', `${streamHref(stream)}/topic/${narrowEncode(run.plainText(topic))}`],
      ],
      content: run.add({ kind: 'text', text: `#${stream.name} > ${run.plainText(topic)}` }),
    });
  });
};

/** `#**stream**` (reference facts, markdown 8). */
export const streamLinks: InlinePass = (text, run) => {
  return replaceEach(text, streamOnly, (match) => {
    const stream = run.context.streamByName(match[1] ?? '');
    if (stream === undefined) return undefined;
    return run.add({
      kind: 'element',
      tag: 'a',
      attributes: [
        ['class', 'stream'],
        ['data-stream-id', String(stream.id)],
        ['href', streamHref(stream)],
      ],
      content: run.add({ kind: 'text', text: `#${stream.name}` }),
    });
  });
};
