/** The page of a development server that shows the mails it kept in place of sending them (decision 0049). */
import { devEnvironmentOff } from '@parley/api';
import type { ServiceConfig } from '@parley/config';
import { listKeptMails } from '@parley/outgoing/mail/kept-mails';
import type { KeptMail } from '@parley/outgoing/mail/kept-mails';
import type { RequestHandler } from 'express';

import { denyOtherOrigins } from './answer-headers.ts';

/** Nothing is loaded and no script runs, in the page or in the mails, whose frames inherit the policy. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const shownMax = 50;

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The links of a mail's text lead where they say. */
function linked(text: string): string {
  return escaped(text).replaceAll(/^https?:\/\/\S+$/gm, '<a href="$&">$&</a>');
}

function shown({ recipient, subject, createdAt, kind, text, html }: KeptMail): string {
  return `<details><summary><b>${escaped(subject)}</b> to ${escaped(recipient)}
<small>${escaped(kind)}, ${escaped(new Date(createdAt).toUTCString())}</small></summary>
<pre>${linked(text)}</pre>
<iframe sandbox title="The mail as HTML" srcdoc="${escaped(html)}"></iframe></details>`;
}

function pageOf(mails: readonly KeptMail[]): string {
  const list = mails.map(shown).join('\n') || '<p>There are none yet.</p>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mails kept by this server</title>
<meta name="viewport" content="width=device-width">
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em;overflow-wrap:anywhere}
pre{white-space:pre-wrap}iframe{width:100%;height:24em;border:1px solid;background:#fff}details{margin:.5em 0}</style></head>
<body><h1>Mails</h1><p>This is a development server: it sends no mails. These are the newest that it kept.</p>
${list}</body></html>`;
}

/** Answers with the page, which is empty if this server sends its mails, or has none. */
export function answerKeptMails({
  mail,
  mode,
}: Pick<ServiceConfig, 'mail' | 'mode'>): RequestHandler {
  const folder = mail?.by.kind === 'folder' ? mail.by.path : undefined;
  return async (_request, response) => {
    if (mode !== 'development') throw devEnvironmentOff();
    const page = pageOf(folder === undefined ? [] : await listKeptMails(folder, shownMax));
    // The mails have links that open accounts.
    denyOtherOrigins(response);
    response.set(headers).send(page);
  };
}
