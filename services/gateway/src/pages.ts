/**
 * The Express application with everything of the gateway that is a page or a file. It is asked for what is no endpoint of the interface, and
 * gets the path in its canonical spelling.
 */
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

import type { ServiceFrame } from '@parley/server';
import express from 'express';
import type { Express, RequestHandler } from 'express';

import { denyOtherOrigins } from './answer-headers.ts';
import { addReference } from './api-reference.ts';
import { answerKeptMails } from './kept-mails.ts';
import { addPage } from './page-route.ts';
import { addWebClient, webBuildFolder } from './web-client.ts';

/** Answers a request, or calls back: with an error, or without one if there is no page at its path. */
export type AnswerPage = (
  request: IncomingMessage,
  response: ServerResponse,
  refuse: (error?: unknown) => void,
) => void;

/**
 * Where browsers come by on the way to an OpenID provider and back (decision 0051). They are led to the web client, with the same words after the
 * hash sign: `/#sso/work/start`, `/#sso/work/callback?code=...`. The web client goes on, because only its requests are from a page of this
 * server: it begins the sign-in, and finishes it with what the provider said, and it shows what goes wrong. What follows the hash sign is in no
 * further request.
 *
 * @param publicUrl where the web client is, whatever the request says
 */
function leadToWebClient(publicUrl: string): RequestHandler {
  return ({ url }, response) => {
    denyOtherOrigins(response);
    response
      .status(303)
      .set({
        Location: `${publicUrl}/#${url.slice(1).replaceAll('#', '%23')}`,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
      })
      .end();
  };
}

function addSignOn(app: Express, publicUrl: string): void {
  for (const step of ['start', 'callback'])
    addPage(app, `/sso/{provider}/${step}`, `/sso/:provider/${step}`, leadToWebClient(publicUrl));
}

/** @returns what answers the requests for pages and files */
export function createPages({ config, log }: Pick<ServiceFrame, 'config' | 'log'>): AnswerPage {
  const { publicUrl, webFolder = webBuildFolder } = config;
  const app = express()
    .disable('x-powered-by')
    .enable('case sensitive routing')
    .enable('strict routing');
  addReference(app, publicUrl);
  addPage(app, '/dev/mails', '/dev/mails', answerKeptMails(config));
  addSignOn(app, publicUrl);
  if (existsSync(join(webFolder, 'index.html'))) addWebClient(app, webFolder, publicUrl);
  else
    log.info(
      { folder: webFolder },
      'the web client is not built, so there is no page at /: `npm start` builds it, and so does `vite build` in packages/web',
    );
  return app;
}
