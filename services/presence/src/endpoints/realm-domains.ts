import { integer, listOf, realmDomainSchema, text, tuple } from '@parley/api-schemas';
import { defineEndpoint, jsonBoolean, jsonOrText, pathText } from '@parley/http';
import { listDomains, realmDomainJson } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { addDomain, changeDomain, removeDomain } from '../organization/change-domains.ts';
import { emptyAnswer } from './empty-answer.ts';

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const domain = pathText('domain', { description: 'The domain' });
const allowSubdomains = jsonBoolean('allow_subdomains', {
  required: true,
  description: 'Domains below it as well',
});

/** GET realm/domains (reference facts, people 14.2). */
export const listRealmDomainsEndpoint = defineEndpoint({
  name: 'list-realm-domains',
  method: 'GET',
  path: '/realm/domains',
  summary: 'List the domains that addresses of new people may be restricted to',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      domains: listOf(realmDomainSchema),
    },
    required: ['domains'],
  },
  handler: async (context: PresenceContext) => ({
    domains: (await listDomains(context.pool)).map(realmDomainJson),
  }),
});

/** POST realm/domains (reference facts, people 14.2). */
export const addRealmDomainEndpoint = defineEndpoint({
  name: 'add-realm-domain',
  method: 'POST',
  path: '/realm/domains',
  summary: 'Add a domain',
  example: { parameters: { domain: 'harbour.example', allow_subdomains: false } },
  access: administrators,
  parameters: [
    jsonOrText('domain', { required: true, description: 'Such as `example.com`' }),
    allowSubdomains,
  ],
  response: {
    type: 'object',
    properties: {
      new_domain: {
        ...tuple(integer, text),
        description: 'Its id, and the domain in lower case',
      },
    },
    required: ['new_domain'],
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => ({
    new_domain: await addDomain(context, caller, {
      domain: parameters.domain,
      allowSubdomains: parameters.allow_subdomains,
    }),
  }),
});

/** PATCH realm/domains/{domain} (reference facts, people 14.2). */
export const changeRealmDomainEndpoint = defineEndpoint({
  name: 'change-realm-domain',
  method: 'PATCH',
  path: '/realm/domains/:domain',
  summary: 'Say whether a domain stands for those below it as well',
  example: { parameters: { domain: 'harbour.example', allow_subdomains: true } },
  access: administrators,
  parameters: [domain, allowSubdomains],
  response: emptyAnswer,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await changeDomain(context, caller, {
      domain: parameters.domain,
      allowSubdomains: parameters.allow_subdomains,
    });
    return {};
  },
});

/** DELETE realm/domains/{domain} (reference facts, people 14.2). */
export const removeRealmDomainEndpoint = defineEndpoint({
  name: 'remove-realm-domain',
  method: 'DELETE',
  path: '/realm/domains/:domain',
  summary: 'Remove a domain',
  description: 'With the last one the restriction of addresses to domains ends.',
  example: { parameters: { domain: 'harbour.example' } },
  access: administrators,
  parameters: [domain],
  response: emptyAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removeDomain(context, caller, parameters.domain);
    return {};
  },
});
