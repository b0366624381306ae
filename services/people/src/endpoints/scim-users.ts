/** People by SCIM (RFC 7644, 3; decision 0052). */
import {
  scimChangeUserEndpoint,
  scimCreateUserEndpoint,
  scimDeleteUserEndpoint,
  scimGetUserEndpoint,
  scimListUsersEndpoint,
  scimReplaceUserEndpoint,
  scimSearchUsersEndpoint,
} from '@parley/api/scim';
import {
  changeProvisionedPerson,
  createProvisionedPerson,
  deleteProvisionedPerson,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { parsePatch, scimBaseOf } from '@parley/api/scim-language';
import { implement, rawAnswer } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import { findScimUser, searchScimUsers } from '@parley/store/scim';
import type { ScimUser } from '@parley/store/scim';

import {
  checkContentType,
  getExisting,
  listAnswer,
  project,
  resourceAnswer,
} from '../scim/answers.ts';
import { projectionOfQuery, searchOfMessage, searchOfQuery } from '../scim/search.ts';
import type { ProjectionQuery, Search } from '../scim/search.ts';
import { readUser, readUserChange, userResource } from '../scim/user-resource.ts';

async function answerUsers(
  context: PeopleContext,
  { search, projection, startIndex }: Search,
): Promise<RawAnswer> {
  const base = scimBaseOf(context);
  const { total, users } = await searchScimUsers(context.pool, search);
  const resources = users.map((user) => project(userResource(user, base), projection));
  return listAnswer({ total, startIndex, resources });
}

function answerUser(
  context: PeopleContext,
  user: ScimUser,
  query: ProjectionQuery,
  status = 200,
): RawAnswer {
  return resourceAnswer(userResource(user, scimBaseOf(context)), projectionOfQuery(query), status);
}

async function getFoundUser({ pool }: PeopleContext, id: number): Promise<ScimUser> {
  return getExisting(await findScimUser(pool, id), 'user', id);
}

export const scimListUsersHandler = implement(
  scimListUsersEndpoint,
  async (context: PeopleContext, { parameters }) => answerUsers(context, searchOfQuery(parameters)),
);

export const scimSearchUsersHandler = implement(
  scimSearchUsersEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    return answerUsers(context, searchOfMessage(parameters.body));
  },
);

export const scimCreateUserHandler = implement(
  scimCreateUserEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    const user = await createProvisionedPerson(context, readUser(parameters.body));
    return answerUser(context, user, parameters, 201);
  },
);

export const scimGetUserHandler = implement(
  scimGetUserEndpoint,
  async (context: PeopleContext, { parameters }) =>
    answerUser(context, await getFoundUser(context, parameters.id), parameters),
);

export const scimReplaceUserHandler = implement(
  scimReplaceUserEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    const user = await changeProvisionedPerson(context, parameters.id, readUser(parameters.body));
    return answerUser(context, user, parameters);
  },
);

export const scimChangeUserHandler = implement(
  scimChangeUserEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    const operations = parsePatch(parameters.body);
    const change = readUserChange(operations, await getFoundUser(context, parameters.id));
    const user = await changeProvisionedPerson(context, parameters.id, change);
    return answerUser(context, user, parameters);
  },
);

export const scimDeleteUserHandler = implement(
  scimDeleteUserEndpoint,
  async (context: PeopleContext, { parameters }) => {
    await deleteProvisionedPerson(context, parameters.id);
    return rawAnswer(204, {});
  },
);
