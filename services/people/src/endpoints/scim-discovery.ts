/** What this server does by SCIM, and what it does not (RFC 7644, 4; decision 0052). */
import {
  scimBulkEndpoint,
  scimGetConfigurationEndpoint,
  scimGetResourceTypeEndpoint,
  scimGetSchemaEndpoint,
  scimListResourceTypesEndpoint,
  scimListSchemasEndpoint,
  scimMeEndpoint,
  scimRefusal,
  scimSearchAllEndpoint,
} from '@parley/api/scim';
import type { PeopleContext } from '@parley/people';
import {
  resourceTypes,
  schemaResources,
  scimBaseOf,
  serviceProviderConfig,
} from '@parley/api/scim-language';
import { implement } from '@parley/server';
import type { RawAnswer } from '@parley/server';

import { listAnswer, scimAnswer } from '../scim/answers.ts';

type Described = Readonly<Record<string, unknown>>;

function listOf(resources: readonly Described[]): RawAnswer {
  return listAnswer({ total: resources.length, startIndex: 1, resources });
}

/** @throws ApiError 404 */
function oneOf(resources: readonly Described[], name: string): RawAnswer {
  const found = resources.find(({ id }) => id === name);
  if (found === undefined) throw scimRefusal(404, 'There is no such description.');
  return scimAnswer(found);
}

export const scimGetConfigurationHandler = implement(
  scimGetConfigurationEndpoint,
  (context: PeopleContext) => scimAnswer(serviceProviderConfig(scimBaseOf(context))),
);

export const scimListResourceTypesHandler = implement(
  scimListResourceTypesEndpoint,
  (context: PeopleContext) => listOf(resourceTypes(scimBaseOf(context))),
);

export const scimGetResourceTypeHandler = implement(
  scimGetResourceTypeEndpoint,
  (context: PeopleContext, { parameters }) =>
    oneOf(resourceTypes(scimBaseOf(context)), parameters.name),
);

export const scimListSchemasHandler = implement(scimListSchemasEndpoint, (context: PeopleContext) =>
  listOf(schemaResources(scimBaseOf(context))),
);

export const scimGetSchemaHandler = implement(
  scimGetSchemaEndpoint,
  (context: PeopleContext, { parameters }) =>
    oneOf(schemaResources(scimBaseOf(context)), parameters.name),
);

function notDone(what: string): never {
  throw scimRefusal(501, what);
}

export const scimMeHandler = implement(scimMeEndpoint, (_context: PeopleContext): RawAnswer =>
  notDone('A token is nobody: there is no resource of its own.'),
);

export const scimBulkHandler = implement(scimBulkEndpoint, (_context: PeopleContext): RawAnswer =>
  notDone('There are no bulk requests: each resource is changed by a request of its own.'),
);

export const scimSearchAllHandler = implement(
  scimSearchAllEndpoint,
  (_context: PeopleContext): RawAnswer =>
    notDone('Search below /Users or /Groups, not in both together.'),
);
