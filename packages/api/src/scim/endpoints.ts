/**
 * SCIM 2.0 (RFC 7643 and 7644): programs of identity providers keep accounts and user groups by it (decision 0052). It describes itself at
 * `/Schemas`, so the OpenAPI document does not.
 */
import { declareEndpoint } from '../declare/endpoint.ts';
import { parseJson } from '../declare/json-text.ts';
import { jsonBody, pathInteger, pathText, textParameter } from '../declare/parameters.ts';
import { text } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { scimContentType, scimRefusal, scimRoot } from './refusals.ts';

/** @throws ApiError `invalidSyntax` */
function readBody(given: string): unknown {
  const parsed = parseJson(given);
  if ('holder' in parsed) return parsed.holder[''];
  if (parsed.fault === 'NUL')
    throw scimRefusal(400, 'A text of the body has a NUL.', 'invalidValue');
  throw scimRefusal(400, 'The body is not JSON that is read here.', 'invalidSyntax');
}

const body = jsonBody({
  description: 'A resource or a message of SCIM',
  schema: { type: 'object' } as const,
  read: readBody,
});

const id = pathInteger('id', { description: 'The id of the resource' });

const projection = [
  textParameter('attributes', { description: 'Only these attributes, separated by commas' }),
  textParameter('excludedAttributes', { description: 'Not these, separated by commas' }),
] as const;

const search = [
  textParameter('filter', { description: 'RFC 7644, 3.4.2.2' }),
  textParameter('sortBy', { description: 'An attribute' }),
  textParameter('sortOrder', { description: 'ascending or descending' }),
  textParameter('startIndex', { description: 'The first resource, from 1' }),
  textParameter('count', { description: `At most ${limits.scimListMax}` }),
] as const;

const withType = { scimType: text };

const ofScim = {
  below: 'root',
  service: 'people',
  tag: 'People',
  access: { authentication: 'scim token' },
  refusalsAs: 'scim',
  limits: { bodyMaxBytes: limits.scimBodyMaxBytes },
  refusals: [
    { status: 400, description: 'The request cannot be carried out', fields: withType },
    { status: 404, description: 'There is no such resource' },
    { status: 409, description: 'Another resource has the name', fields: withType },
    { status: 415, description: 'The body is labelled as something else than JSON' },
    { status: 501, description: 'This server does not do it' },
  ],
} as const;

const found = [{ contentType: scimContentType, description: 'A resource or a message' }] as const;
const created = [
  { status: 201, contentType: scimContentType, description: 'The new resource' },
] as const;
const removed = [{ status: 204, description: 'It is gone' }] as const;
const changedGroup = [
  { status: 204, description: 'It is done' },
  {
    contentType: scimContentType,
    description: 'The group, if the request says which `attributes` it wants',
  },
] as const;

/** Refused with 501, so that clients know that they may go on without. */
const notDone = [] as const;

const users = `${scimRoot}/Users` as const;
const groups = `${scimRoot}/Groups` as const;

export const scimListUsersEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-list-users',
  method: 'GET',
  path: users,
  summary: 'List people',
  parameters: [...search, ...projection],
  success: found,
});

export const scimSearchUsersEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-search-users',
  method: 'POST',
  path: `${users}/.search`,
  summary: 'List people by a message',
  parameters: [body],
  success: found,
  afterLoss: 'read',
});

export const scimCreateUserEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-create-user',
  method: 'POST',
  path: users,
  summary: 'Create a user',
  parameters: [body, ...projection],
  success: created,
});

export const scimGetUserEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-get-user',
  method: 'GET',
  path: `${users}/{id}`,
  summary: 'Get a user',
  parameters: [id, ...projection],
  success: found,
});

export const scimReplaceUserEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-replace-user',
  method: 'PUT',
  path: `${users}/{id}`,
  summary: 'Replace a user',
  parameters: [id, body, ...projection],
  success: found,
});

export const scimChangeUserEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-change-user',
  method: 'PATCH',
  path: `${users}/{id}`,
  summary: 'Change a user',
  parameters: [id, body, ...projection],
  success: found,
});

export const scimDeleteUserEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-delete-user',
  method: 'DELETE',
  path: `${users}/{id}`,
  summary: 'Delete a user',
  parameters: [id],
  success: removed,
});

export const scimListGroupsEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-list-groups',
  method: 'GET',
  path: groups,
  summary: 'List user groups',
  parameters: [...search, ...projection],
  success: found,
});

export const scimSearchGroupsEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-search-groups',
  method: 'POST',
  path: `${groups}/.search`,
  summary: 'List user groups by a message',
  parameters: [body],
  success: found,
  afterLoss: 'read',
});

export const scimCreateGroupEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-create-group',
  method: 'POST',
  path: groups,
  summary: 'Create a group',
  parameters: [body, ...projection],
  success: created,
});

export const scimGetGroupEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-get-group',
  method: 'GET',
  path: `${groups}/{id}`,
  summary: 'Get a group',
  parameters: [id, ...projection],
  success: found,
});

export const scimReplaceGroupEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-replace-group',
  method: 'PUT',
  path: `${groups}/{id}`,
  summary: 'Replace a group',
  parameters: [id, body, ...projection],
  success: found,
});

export const scimChangeGroupEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-change-group',
  method: 'PATCH',
  path: `${groups}/{id}`,
  summary: 'Change a group',
  parameters: [id, body, ...projection],
  success: changedGroup,
});

export const scimDeleteGroupEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-delete-group',
  method: 'DELETE',
  path: `${groups}/{id}`,
  summary: 'Delete a group',
  parameters: [id],
  success: removed,
});

export const scimGetConfigurationEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-get-configuration',
  method: 'GET',
  path: `${scimRoot}/ServiceProviderConfig`,
  summary: 'What this server does',
  parameters: [],
  success: found,
});

export const scimListResourceTypesEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-list-resource-types',
  method: 'GET',
  path: `${scimRoot}/ResourceTypes`,
  summary: 'What this server does',
  parameters: [],
  success: found,
});

export const scimListSchemasEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-list-schemas',
  method: 'GET',
  path: `${scimRoot}/Schemas`,
  summary: 'What this server does',
  parameters: [],
  success: found,
});

export const scimGetResourceTypeEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-get-resource-type',
  method: 'GET',
  path: `${scimRoot}/ResourceTypes/{name}`,
  summary: 'What this server does',
  parameters: [pathText('name', { description: 'Which' })],
  success: found,
});

export const scimGetSchemaEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-get-schema',
  method: 'GET',
  path: `${scimRoot}/Schemas/{name}`,
  summary: 'What this server does',
  parameters: [pathText('name', { description: 'Which' })],
  success: found,
});

export const scimMeEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-me',
  method: 'GET',
  path: `${scimRoot}/Me`,
  summary: 'Not done here',
  parameters: [],
  success: notDone,
});

export const scimBulkEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-bulk',
  method: 'POST',
  path: `${scimRoot}/Bulk`,
  summary: 'Not done here',
  parameters: [],
  success: notDone,
});

export const scimSearchAllEndpoint = declareEndpoint({
  ...ofScim,
  name: 'scim-search-all',
  method: 'POST',
  path: `${scimRoot}/.search`,
  summary: 'Not done here',
  parameters: [],
  success: notDone,
});

export const scimEndpoints = [
  scimListUsersEndpoint,
  scimSearchUsersEndpoint,
  scimCreateUserEndpoint,
  scimGetUserEndpoint,
  scimReplaceUserEndpoint,
  scimChangeUserEndpoint,
  scimDeleteUserEndpoint,
  scimListGroupsEndpoint,
  scimSearchGroupsEndpoint,
  scimCreateGroupEndpoint,
  scimGetGroupEndpoint,
  scimReplaceGroupEndpoint,
  scimChangeGroupEndpoint,
  scimDeleteGroupEndpoint,
  scimGetConfigurationEndpoint,
  scimListResourceTypesEndpoint,
  scimListSchemasEndpoint,
  scimGetResourceTypeEndpoint,
  scimGetSchemaEndpoint,
  scimMeEndpoint,
  scimBulkEndpoint,
  scimSearchAllEndpoint,
] as const;
