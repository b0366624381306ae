/** The thread that reads one mail. It gets only bytes, and what it takes for them is bounded from outside. */
import { parentPort } from 'node:worker_threads';

import { htmlToText } from 'html-to-text';
import { simpleParser } from 'mailparser';
import type { ParsedMail } from 'mailparser';

import { findAnswer } from './answer-text.ts';
import { filesMax } from './mail-content.ts';
import type { MailContent, MailReport } from './mail-content.ts';

const bounds = {
  /** Bytes of the headers of one part. */
  maxHeadSize: 128 * 1024,
  /** Parts. */
  maxChildNodes: 100,
} as const;

/** Only what is needed: no HTML is made, no picture is put into it, and no mail within the mail is read. */
const options = {
  ...bounds,
  skipTextToHtml: true,
  skipHtmlToText: true,
  skipImageLinks: true,
  keepCidLinks: true,
  checksumAlgo: false,
  ignoreEmbedded: true,
  keepDeliveryStatus: true,
} as const;

/** Nobody writes more above a quotation, and no message can have more than the other. */
const textMaxLength = 500_000;
const answerMaxLength = 25_000;

const automaticPrecedences = new Set(['bulk', 'junk', 'list', 'auto_reply']);
/** Headers that only programs write. `X-Auto-Response-Suppress` is not one: people's mails have it too. */
const automaticHeaders = ['x-autoreply', 'x-autorespond', 'list-id'];

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** The values of a header, in lower case, as far as they are plain text. */
function valuesOf({ headerLines }: ParsedMail, name: string): string[] {
  return headerLines
    .filter(({ key }) => key === name)
    .map(({ line }) =>
      line
        .slice(line.indexOf(':') + 1)
        .trim()
        .toLowerCase(),
    );
}

/** RFC 3834, 2: what to recognize automatic mail by. */
function isAutomatic(mail: ParsedMail): boolean {
  const submissions = valuesOf(mail, 'auto-submitted').map((value) => value.split(/[;\s]/)[0]);
  return (
    submissions.some((value) => value !== 'no') ||
    valuesOf(mail, 'precedence').some((value) => automaticPrecedences.has(value)) ||
    valuesOf(mail, 'content-type').some((value) => value.startsWith('multipart/report')) ||
    automaticHeaders.some((name) => valuesOf(mail, name).length > 0)
  );
}

/** What a program shows that shows no HTML; else the HTML as text, in which quotations have the sign of plain text. */
function textOf({ text = '', html = '' }: ParsedMail): string {
  if (text.trim() !== '' || html === false) return text;
  return htmlToText(html.slice(0, textMaxLength), {
    wordwrap: false,
    limits: { maxDepth: 100, maxChildNodes: 20_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    ],
  });
}

function contentOf(mail: ParsedMail): MailContent {
  const files = mail.attachments.map(({ filename, contentType, content }) => ({
    name: filename ?? contentType.replace('/', '.'),
    content: new Uint8Array(content),
  }));
  return {
    isAutomatic: isAutomatic(mail),
    // Some programs send an empty one, which would make all their mails the same.
    messageId: mail.messageId?.replaceAll(/[<>\s]/g, '') || undefined,
    answer: findAnswer(textOf(mail).slice(0, textMaxLength)).slice(0, answerMaxLength),
    files: files.slice(0, filesMax),
    filesLeftOut: Math.max(0, files.length - filesMax),
  };
}

async function read(bytes: Uint8Array): Promise<MailReport> {
  try {
    return { kind: 'read', mail: contentOf(await simpleParser(Buffer.from(bytes), options)) };
  } catch {
    return { kind: 'unreadable' };
  }
}

parentPort?.once('message', (bytes: Uint8Array) => {
  void read(bytes).then((report) => parentPort?.postMessage(report, []));
});
