import { NodeLinks } from './links/index.ts';

import type { RequestHandler } from './graceful-server.ts';
import { HeldBodies } from './held-bodies.ts';
import type { Implementation } from './implement.ts';
import { serveLinks } from './link-adapter.ts';
import { OwnerTurns } from './owner-turns.ts';
import { Pipeline } from './pipeline.ts';
import type { ServiceFrame } from './service-frame.ts';
import { serveUploads } from './upload-adapter.ts';

/** For one owner. The limit of requests is lower. */
const changesWaitingMax = 1000;

/** The endpoints and settings that a service serves. */
export type ServedApi<Context> = {
  readonly implementations: readonly Implementation<Context>[];
  readonly context: Context;
  /** Sent with every answer, refusals included. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
};

/**
 * Serves endpoints to gateways, over links and, for uploads, by HTTP. When the service stops, links end once every request on them is answered, after the
 * drain callbacks that are registered later.
 *
 * @returns the handler of HTTP, and the links, so that a drain callback can announce sooner that the node stops
 */
export function serveApi<Context>(
  frame: Pick<
    ServiceFrame,
    | 'clock'
    | 'config'
    | 'localNodes'
    | 'log'
    | 'metrics'
    | 'onDispose'
    | 'onDrain'
    | 'onSettle'
    | 'onUpgrade'
  >,
  api: ServedApi<Context>,
): { readonly handler: RequestHandler; readonly links: NodeLinks } {
  const { clock, config, log, metrics } = frame;
  const { answerHeaders = {}, context, implementations } = api;
  const identitySecrets = config.internalSecrets.map((secret) => secret.reveal());
  const pipeline = new Pipeline({
    implementations,
    context,
    clock,
    log,
    metrics,
    heldBodies: new HeldBodies(config.heldBodiesMaxBytes, metrics.registry),
    ownerTurns: new OwnerTurns(
      { atOnceMax: Math.ceil(config.database.poolMax / 2), waitingMax: changesWaitingMax },
      clock,
      metrics.registry,
    ),
    checkAnswers: config.checkAnswers,
  });
  const links = new NodeLinks({
    clock,
    identitySecrets,
    answer: serveLinks(pipeline, answerHeaders),
    onFault: (error) => log.warn({ err: error }, 'a link to a gateway failed'),
  });
  frame.localNodes.set(config.nodeId, links);
  frame.onDispose('links in this process', () => {
    frame.localNodes.delete(config.nodeId);
  });
  frame.onUpgrade((request, _socket, head) => links.accept(request, head));
  // Drains run in reverse, and one that takes too long is abandoned. The links then end anyway, because an open link would keep the server
  // from closing.
  frame.onSettle('requests', () => pipeline.isIdle);
  frame.onDrain('the end of links to gateways', () => links.end());
  frame.onDrain('requests of links', () => links.finish());
  return { handler: serveUploads(pipeline, { identitySecrets, answerHeaders }), links };
}
