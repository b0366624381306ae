import { NodeLinks } from '@parley/links';

import { createApiApp } from './api-app.ts';
import type { ApiAppOptions } from './api-app.ts';
import { createDirectApp } from './direct-app.ts';
import type { RequestHandler } from './graceful-server.ts';
import type { ServiceFrame } from './service-frame.ts';

/** What a service serves: the rest of its app's options is in the frame. */
export type ServedApi<Context> = Pick<
  ApiAppOptions<Context>,
  'endpoints' | 'context' | 'answerHeaders'
>;

/**
 * Serves endpoints to gateways, by HTTP and over links. When the service stops, links end once all that came over them is answered,
 * behind the drain callbacks that are registered later.
 *
 * @returns the handler of HTTP, and the links, of which a drain callback may say sooner that the node stops
 * @throws TypeError when declarations contradict one another
 */
export function serveApi<Context>(
  frame: Pick<ServiceFrame, 'config' | 'log' | 'metrics' | 'onDrain' | 'onUpgrade'>,
  api: ServedApi<Context>,
): { readonly handler: RequestHandler; readonly links: NodeLinks } {
  const { config, log, metrics } = frame;
  const options: ApiAppOptions<Context> = {
    ...api,
    identitySecrets: config.internalSecrets.map((secret) => secret.reveal()),
    log,
    metrics,
    checkAnswers: config.checkAnswers,
  };
  const links = new NodeLinks({
    identitySecrets: options.identitySecrets,
    answer: createDirectApp(options),
    onFault: (error) => log.warn({ err: error }, 'a link to a gateway failed'),
  });
  frame.onUpgrade((request, socket, head) => links.accept(request, socket, head));
  // Drains run in reverse. One that takes too long is left: the links end all the same, since none would let the server close.
  frame.onDrain('the end of links to gateways', () => links.end());
  frame.onDrain('requests of links', () => links.finish());
  return { handler: createApiApp(options), links };
}
