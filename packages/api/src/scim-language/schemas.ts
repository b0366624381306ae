/** What this server says about itself by SCIM (RFC 7643, 5 to 7): only what it does. */
import { limits } from '../index.ts';
import { scimRoot } from '../scim/index.ts';

export const schemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  search: 'urn:ietf:params:scim:api:messages:2.0:SearchRequest',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  serviceProviderConfig: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
} as const;

type Json = Readonly<Record<string, unknown>>;

type Attribute = {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly description: string;
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'writeOnly' | 'immutable';
  readonly returned?: 'default' | 'never' | 'always';
  readonly uniqueness?: 'none' | 'server';
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Json[];
};

function attribute(given: Attribute): Json {
  return {
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...given,
  };
}

const externalId = attribute({
  name: 'externalId',
  type: 'string',
  description: 'What the client calls it',
  caseExact: true,
});

/** A part of a name: the whole one is kept. */
const namePart = { type: 'string', mutability: 'writeOnly', returned: 'never' } as const;

const userAttributes = [
  attribute({
    name: 'userName',
    type: 'string',
    description: 'The address with which the person signs in and gets mail',
    required: true,
    uniqueness: 'server',
  }),
  attribute({
    name: 'displayName',
    type: 'string',
    description: 'The full name, which others see',
  }),
  attribute({
    name: 'name',
    type: 'complex',
    description:
      'The full name; its parts form it where neither displayName nor formatted is given',
    subAttributes: [
      attribute({ name: 'formatted', type: 'string', description: 'The full name' }),
      attribute({ ...namePart, name: 'givenName', description: 'The first part of the name' }),
      attribute({ ...namePart, name: 'familyName', description: 'The second part of the name' }),
    ],
  }),
  attribute({
    name: 'emails',
    type: 'complex',
    description: 'The one address, which is the userName; userName decides where both are given',
    multiValued: true,
    subAttributes: [
      attribute({ name: 'value', type: 'string', description: 'The address' }),
      attribute({
        name: 'type',
        type: 'string',
        description: 'Always work',
        mutability: 'readOnly',
        canonicalValues: ['work'],
      }),
      attribute({
        name: 'primary',
        type: 'boolean',
        description: 'Always true',
        mutability: 'readOnly',
      }),
    ],
  }),
  attribute({
    name: 'active',
    type: 'boolean',
    description: 'Whether the person may sign in',
  }),
  externalId,
];

const groupAttributes = [
  attribute({
    name: 'displayName',
    type: 'string',
    description: 'The name of the user group, case-sensitive',
    required: true,
    caseExact: true,
    uniqueness: 'server',
  }),
  attribute({
    name: 'members',
    type: 'complex',
    description: 'The people of the group; other members, such as bots, stay as they are',
    multiValued: true,
    subAttributes: [
      attribute({
        name: 'value',
        type: 'string',
        description: 'The id of a User',
        mutability: 'immutable',
      }),
      attribute({
        name: '$ref',
        type: 'reference',
        description: 'The address of the User',
        mutability: 'readOnly',
        referenceTypes: ['User'],
      }),
      attribute({
        name: 'display',
        type: 'string',
        description: 'The full name',
        mutability: 'readOnly',
      }),
      attribute({
        name: 'type',
        type: 'string',
        description: 'Always User: groups are not nested',
        mutability: 'readOnly',
        canonicalValues: ['User'],
      }),
    ],
  }),
  externalId,
];

/** @param base the address of SCIM at this server */
export function schemaResources(base: string): Json[] {
  return [
    { id: schemas.user, name: 'User', description: 'A person', attributes: userAttributes },
    { id: schemas.group, name: 'Group', description: 'A user group', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: [schemas.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
}

/** @param base the address of SCIM at this server */
export function resourceTypes(base: string): Json[] {
  return [
    { id: 'User', endpoint: '/Users', schema: schemas.user, description: 'People' },
    { id: 'Group', endpoint: '/Groups', schema: schemas.group, description: 'User groups' },
  ].map((type) => ({
    schemas: [schemas.resourceType],
    name: type.id,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.id}` },
  }));
}

/** @param base the address of SCIM at this server */
export function serviceProviderConfig(base: string): Json {
  return {
    schemas: [schemas.serviceProviderConfig],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: limits.scimListMax },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token that an administrator made in the settings of the organization',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${base}/ServiceProviderConfig`,
    },
  };
}

/** @returns the address of SCIM at this server */
export function scimBaseOf({ publicUrl }: { readonly publicUrl: string }): string {
  return publicUrl + scimRoot;
}
