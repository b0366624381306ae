/** User groups by SCIM (RFC 7644, 3; decision 0052). */
import { limits } from '@parley/api';
import {
  scimChangeGroupEndpoint,
  scimCreateGroupEndpoint,
  scimDeleteGroupEndpoint,
  scimGetGroupEndpoint,
  scimListGroupsEndpoint,
  scimReplaceGroupEndpoint,
  scimSearchGroupsEndpoint,
} from '@parley/api/scim';
import {
  changeProvisionedGroup,
  createProvisionedGroup,
  deleteProvisionedGroup,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { parsePatch, scimBaseOf } from '@parley/api/scim-language';
import { implement, rawAnswer } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import {
  countGroupMembers,
  findScimGroup,
  listScimMembers,
  searchScimGroups,
} from '@parley/store/scim';
import type { ScimGroup } from '@parley/store/scim';

import {
  checkContentType,
  getExisting,
  isWanted,
  listAnswer,
  project,
  resourceAnswer,
} from '../scim/answers.ts';
import type { Projection, ScimResource } from '../scim/answers.ts';
import { groupResource, readGroup, readGroupChange } from '../scim/group-resource.ts';
import { projectionOfQuery, searchOfMessage, searchOfQuery } from '../scim/search.ts';
import type { ProjectionQuery, Search } from '../scim/search.ts';

/** The members are read only if the client wants them. */
async function resourcesOf(
  context: PeopleContext,
  groups: readonly ScimGroup[],
  projection: Projection,
): Promise<ScimResource[]> {
  const base = scimBaseOf(context);
  const members = isWanted(projection, 'members')
    ? await listScimMembers(
        context.pool,
        groups.map(({ id }) => id),
      )
    : undefined;
  return groups.map((group) =>
    groupResource(group, members && (members.get(group.id) ?? []), base),
  );
}

/** @returns the first of a page, with no more members than an answer may have; a page may have fewer resources than were asked for */
async function firstOf(
  context: PeopleContext,
  groups: readonly ScimGroup[],
): Promise<readonly ScimGroup[]> {
  const counts = await countGroupMembers(
    context.pool,
    groups.map(({ id }) => id),
  );
  let members = 0;
  const end = groups.findIndex(({ id }, n) => {
    members += counts.get(id) ?? 0;
    return n > 0 && members > limits.scimListMembersMax;
  });
  return end === -1 ? groups : groups.slice(0, end);
}

async function answerGroups(
  context: PeopleContext,
  { search, projection, startIndex }: Search,
): Promise<RawAnswer> {
  const { total, groups } = await searchScimGroups(context.pool, search);
  const isLong = isWanted(projection, 'members') && groups.length > 1;
  const found = await resourcesOf(
    context,
    isLong ? await firstOf(context, groups) : groups,
    projection,
  );
  const resources = found.map((resource) => project(resource, projection));
  return listAnswer({ total, startIndex, resources });
}

async function answerGroup(
  context: PeopleContext,
  id: number,
  query: ProjectionQuery,
  status = 200,
): Promise<RawAnswer> {
  const group = getExisting(await findScimGroup(context.pool, id), 'group', id);
  const projection = projectionOfQuery(query);
  const [resource] = await resourcesOf(context, [group], projection);
  return resourceAnswer(getExisting(resource, 'group', id), projection, status);
}

export const scimListGroupsHandler = implement(
  scimListGroupsEndpoint,
  async (context: PeopleContext, { parameters }) =>
    answerGroups(context, searchOfQuery(parameters)),
);

export const scimSearchGroupsHandler = implement(
  scimSearchGroupsEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    return answerGroups(context, searchOfMessage(parameters.body));
  },
);

export const scimCreateGroupHandler = implement(
  scimCreateGroupEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    const id = await createProvisionedGroup(context, readGroup(parameters.body));
    return answerGroup(context, id, parameters, 201);
  },
);

export const scimGetGroupHandler = implement(
  scimGetGroupEndpoint,
  async (context: PeopleContext, { parameters }) => answerGroup(context, parameters.id, parameters),
);

export const scimReplaceGroupHandler = implement(
  scimReplaceGroupEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    await changeProvisionedGroup(context, parameters.id, readGroup(parameters.body));
    return answerGroup(context, parameters.id, parameters);
  },
);

export const scimChangeGroupHandler = implement(
  scimChangeGroupEndpoint,
  async (context: PeopleContext, { parameters, header }) => {
    checkContentType(header('content-type'));
    await changeProvisionedGroup(
      context,
      parameters.id,
      readGroupChange(parsePatch(parameters.body)),
    );
    // Programs add members one by one, so the whole group in each answer would cost the square of its size (RFC 7644, 3.5.2).
    return parameters.attributes === undefined
      ? rawAnswer(204, {})
      : answerGroup(context, parameters.id, parameters);
  },
);

export const scimDeleteGroupHandler = implement(
  scimDeleteGroupEndpoint,
  async (context: PeopleContext, { parameters }) => {
    await deleteProvisionedGroup(context, parameters.id);
    return rawAnswer(204, {});
  },
);
