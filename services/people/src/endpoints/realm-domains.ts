import {
  addRealmDomainEndpoint,
  changeRealmDomainEndpoint,
  listRealmDomainsEndpoint,
  removeRealmDomainEndpoint,
} from '@parley/api/organization';
import { implement } from '@parley/server';
import { addDomain, changeDomain, removeDomain } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { realmDomainJson } from '@parley/store/objects';
import { listDomains } from '@parley/store';

export const listRealmDomainsHandler = implement(
  listRealmDomainsEndpoint,
  async (context: PeopleContext) => ({
    domains: (await listDomains(context.pool)).map(realmDomainJson),
  }),
);

export const addRealmDomainHandler = implement(
  addRealmDomainEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    new_domain: await addDomain(context, caller, {
      domain: parameters.domain,
      allowSubdomains: parameters.allow_subdomains,
    }),
  }),
);

export const changeRealmDomainHandler = implement(
  changeRealmDomainEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await changeDomain(context, caller, {
      domain: parameters.domain,
      allowSubdomains: parameters.allow_subdomains,
    });
    return {};
  },
);

export const removeRealmDomainHandler = implement(
  removeRealmDomainEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removeDomain(context, caller, parameters.domain);
    return {};
  },
);
