import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import { integer, listOf, mapOf, object, texts } from '../declare/schema.ts';
import { linkifierSchema } from './objects.ts';

/** The patterns that become links in messages. */

const administrators = { authentication: 'required', administratorsOnly: true } as const;

/** GET realm/filters (reference facts, people 12). */
export const listLinkifiersEndpoint = declareEndpoint({
  name: 'list-linkifiers',
  method: 'GET',
  path: '/realm/filters',
  service: 'people',
  tag: 'Organization',
  summary: 'List the patterns that become links in messages',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ filters: listOf(linkifierSchema) }),
});

/** POST realm/filters (reference facts, people 12). */
export const addLinkifierEndpoint = declareEndpoint({
  name: 'add-linkifier',
  method: 'POST',
  path: '/realm/filters',
  service: 'people',
  tag: 'Organization',
  summary: 'Add a pattern that becomes links in messages',
  description:
    'A refusal has no code. Its `errors` lists the faults of `pattern` and of `url_format_string` as texts, and faults of both together under `__all__`.',
  example: {
    parameters: {
      pattern: '#(?P<id>[0-9]+)',
      url_format_string: 'https://tickets.harbour.example/%(id)s',
    },
  },
  access: administrators,
  parameters: [
    textParameter('pattern', {
      required: true,
      description: 'A regular expression of prefixes and named groups such as `#(?P<id>[0-9]+)`',
    }),
    textParameter('url_format_string', {
      required: true,
      description: 'A URL with the groups, such as `https://tickets.example.com/%(id)s`',
    }),
  ],
  success: object({ id: integer }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  refusals: [
    {
      status: 400,
      description: 'Pattern or URL are invalid; `errors` lists the texts by field',
      fields: { errors: mapOf(texts) },
    },
  ],
});

/** DELETE realm/filters/{filter_id} (reference facts, people 12). */
export const removeLinkifierEndpoint = declareEndpoint({
  name: 'remove-linkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  service: 'people',
  tag: 'Organization',
  summary: 'Remove a pattern that becomes links in messages',
  example: { parameters: { filter_id: exampleVariables.linkifierId } },
  access: administrators,
  parameters: [pathInteger('filter_id', { description: 'The id of the pattern' })],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});
