/** Routes of pages and files, which everybody may read and nobody changes. */
import type { ServerResponse } from 'node:http';

import { methodNotAllowed } from '@parley/api';
import type { Express, RequestHandler, Response } from 'express';

const methods = ['GET', 'HEAD'];

type PageResponse = Response<unknown, { pageName?: string }>;

/**
 * Adds a route to the application.
 *
 * @param name of the page in the log and in metrics
 * @param path one or more, in Express' form
 * @param answer answers GET and HEAD
 */
export function addPage(
  app: Express,
  name: string,
  path: Parameters<Express['route']>[0],
  answer: RequestHandler,
): void {
  app
    .route(path)
    .all((_request, response: PageResponse, next) => {
      response.locals.pageName = name;
      next();
    })
    .get(answer)
    .options((_request, response) => {
      response.status(204).set('Allow', methods.join(', ')).end();
    })
    .all(() => {
      throw methodNotAllowed(methods);
    });
}

/** @returns the name of the page whose route has a request; undefined if none has */
export function findPageName(response: ServerResponse): string | undefined {
  return (response as Partial<PageResponse>).locals?.pageName;
}
