import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, jsonOrTextParameter, pathText } from '../declare/parameters.ts';
import { described, integer, listOf, object, text, tuple } from '../declare/schema.ts';
import { realmDomainSchema } from './objects.ts';

/** The domains that addresses of new people may be restricted to. */

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const domainParameter = pathText('domain', { description: 'The domain' });
const allowSubdomainsParameter = booleanParameter('allow_subdomains', {
  required: true,
  description: 'Whether subdomains are included',
});

/** GET realm/domains (reference facts, people 14.2). */
export const listRealmDomainsEndpoint = declareEndpoint({
  name: 'list-realm-domains',
  method: 'GET',
  path: '/realm/domains',
  service: 'people',
  tag: 'Organization',
  summary: 'List the domains to which addresses of new people may be restricted',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ domains: listOf(realmDomainSchema) }),
});

/** POST realm/domains (reference facts, people 14.2). */
export const addRealmDomainEndpoint = declareEndpoint({
  name: 'add-realm-domain',
  method: 'POST',
  path: '/realm/domains',
  service: 'people',
  tag: 'Organization',
  summary: 'Add a domain',
  example: { parameters: { domain: 'harbour.example', allow_subdomains: false } },
  access: administrators,
  parameters: [
    jsonOrTextParameter('domain', { required: true, description: 'Such as `example.com`' }),
    allowSubdomainsParameter,
  ],
  success: object({
    new_domain: described(tuple(integer, text), 'Its id, and the domain in lower case'),
  }),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH realm/domains/{domain} (reference facts, people 14.2). */
export const changeRealmDomainEndpoint = declareEndpoint({
  name: 'change-realm-domain',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  service: 'people',
  tag: 'Organization',
  summary: 'Set whether a domain includes its subdomains',
  example: { parameters: { domain: 'harbour.example', allow_subdomains: true } },
  access: administrators,
  parameters: [domainParameter, allowSubdomainsParameter],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** DELETE realm/domains/{domain} (reference facts, people 14.2). */
export const removeRealmDomainEndpoint = declareEndpoint({
  name: 'remove-realm-domain',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  service: 'people',
  tag: 'Organization',
  summary: 'Remove a domain',
  description: 'Removing the last one ends the restriction of addresses to domains.',
  example: { parameters: { domain: 'harbour.example' } },
  access: administrators,
  parameters: [domainParameter],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});
