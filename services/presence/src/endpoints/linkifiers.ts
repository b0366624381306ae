import { linkifierSchema, listOf } from '@parley/api-schemas';
import { defineEndpoint, exampleVariables, pathInteger, text } from '@parley/http';
import { linkifierJson, listLinkifiers } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { addLinkifier, removeLinkifier } from '../organization/change-linkifiers.ts';
import { emptyAnswer } from './empty-answer.ts';

const administrators = { authentication: 'required', administratorsOnly: true } as const;

/** GET realm/filters (reference facts, people 12). */
export const listLinkifiersEndpoint = defineEndpoint({
  name: 'list-linkifiers',
  method: 'GET',
  path: '/realm/filters',
  summary: 'List the patterns that become links in messages',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      filters: listOf(linkifierSchema),
    },
    required: ['filters'],
  },
  handler: async (context: PresenceContext) => ({
    filters: (await listLinkifiers(context.pool)).map(linkifierJson),
  }),
});

/** POST realm/filters (reference facts, people 12). */
export const addLinkifierEndpoint = defineEndpoint({
  name: 'add-linkifier',
  method: 'POST',
  path: '/realm/filters',
  summary: 'Add a pattern that becomes links in messages',
  description:
    'A refusal has no code but `errors`: what is wrong with `pattern` and `url_format_string`, each a list of texts, or with both together under `__all__`.',
  example: {
    parameters: {
      pattern: '#(?P<id>[0-9]+)',
      url_format_string: 'https://tickets.harbour.example/%(id)s',
    },
  },
  access: administrators,
  parameters: [
    text('pattern', {
      required: true,
      description: 'A regular expression of prefixes and named groups such as `#(?P<id>[0-9]+)`',
    }),
    text('url_format_string', {
      required: true,
      description: 'A URL with the groups, such as `https://tickets.example.com/%(id)s`',
    }),
  ],
  response: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  refusals: [
    {
      status: 400,
      description: 'Pattern or URL are no good; `errors` lists the texts by field',
      fields: {
        errors: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  ],
  handler: async (context: PresenceContext, { caller, parameters }) => ({
    id: await addLinkifier(context, caller, {
      pattern: parameters.pattern,
      urlFormat: parameters.url_format_string,
    }),
  }),
});

/** DELETE realm/filters/{filter_id} (reference facts, people 12). */
export const removeLinkifierEndpoint = defineEndpoint({
  name: 'remove-linkifier',
  method: 'DELETE',
  path: '/realm/filters/:filter_id',
  summary: 'Remove a pattern that becomes links in messages',
  example: { parameters: { filter_id: exampleVariables.linkifierId } },
  access: administrators,
  parameters: [pathInteger('filter_id', { description: 'The id of the pattern' })],
  response: emptyAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removeLinkifier(context, caller, parameters.filter_id);
    return {};
  },
});
