/**
 * Where browsers come by on the way to an OpenID provider and back (decision 0051). The web client goes on, because only its requests are from
 * a page of this server: it begins the sign-in, and finishes it with what the provider said, and it shows what goes wrong.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Leads the browser to the web client, with the same words after the hash sign: `/#sso/work/start`, `/#sso/work/callback?code=...`. What
 * follows the hash sign is in no further request.
 *
 * @param publicUrl where the web client is, whatever the request says
 */
export function answerSignOnPage(
  publicUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // It begins with a slash, as only such paths are declared, and is as long as Node's parser permits.
  const words = (request.url ?? '').replace(/^\/+/, '').replaceAll('#', '%23');
  response.removeHeader('Access-Control-Allow-Origin');
  response
    .writeHead(303, {
      Location: `${publicUrl}/#${words}`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'Content-Length': 0,
    })
    .end();
  return Promise.resolve();
}
