import {
  addLinkifierEndpoint,
  listLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from '@parley/api/organization';
import { implement } from '@parley/server';
import { addLinkifier, removeLinkifier } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { linkifierJson } from '@parley/store/objects';
import { listLinkifiers } from '@parley/store';

export const listLinkifiersHandler = implement(
  listLinkifiersEndpoint,
  async (context: PeopleContext) => ({
    filters: (await listLinkifiers(context.pool)).map(linkifierJson),
  }),
);

export const addLinkifierHandler = implement(
  addLinkifierEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    id: await addLinkifier(context, caller, {
      pattern: parameters.pattern,
      urlFormat: parameters.url_format_string,
    }),
  }),
);

export const removeLinkifierHandler = implement(
  removeLinkifierEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removeLinkifier(context, caller, parameters.filter_id);
    return {};
  },
);
