import { serveHttp } from '../src/http-adapter.ts';
import type { HttpAdapterOptions } from '../src/http-adapter.ts';
import type { RequestHandler } from '../src/graceful-server.ts';
import { serveLinks } from '../src/link-adapter.ts';
import type { LinkHandler } from '../src/link-adapter.ts';
import { Pipeline } from '../src/pipeline.ts';
import type { PipelineOptions } from '../src/pipeline.ts';

export type AppOptions<Context> = PipelineOptions<Context> & HttpAdapterOptions;

/** @returns the handler of requests by HTTP */
export function createHttpApp<Context>(options: AppOptions<Context>): RequestHandler {
  return serveHttp(new Pipeline(options), options);
}

/** @returns the handler of requests over links */
export function createLinkApp<Context>(
  options: Omit<AppOptions<Context>, 'identitySecrets'>,
): LinkHandler {
  return serveLinks(new Pipeline(options), options.answerHeaders);
}
