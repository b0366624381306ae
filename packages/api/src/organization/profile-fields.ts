import { Type } from 'typebox';

import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { parseJson } from '../declare/json-text.ts';
import {
  customParameter,
  integerListParameter,
  integerParameter,
  jsonParameter,
  pathInteger,
  textParameter,
} from '../declare/parameters.ts';
import { anything, integer, listOf, object } from '../declare/schema.ts';
import { requestVariableInvalid } from '../errors.ts';
import { profileFieldSchema } from '../people/objects.ts';

/** Custom profile fields and their values. */

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const fieldIdParameter = pathInteger('field_id', { description: 'The id of the field' });
const descriptionParameters = [
  textParameter('name', { default: '', description: 'The label, at most 40 characters' }),
  textParameter('hint', { default: '', description: 'At most 80 characters' }),
  customParameter(
    'field_data',
    {
      encoding: 'json',
      schema: anything,
      default: {},
      description: 'The choices of a list, or the external account',
    },
    (raw, name): unknown => {
      const parsed = parseJson(raw);
      if ('fault' in parsed) throw requestVariableInvalid(name, raw);
      return parsed.holder[''];
    },
  ),
] as const;

/** GET realm/profile_fields (reference facts, people 13). */
export const listProfileFieldsEndpoint = declareEndpoint({
  name: 'list-profile-fields',
  method: 'GET',
  path: '/realm/profile_fields',
  service: 'people',
  tag: 'Organization',
  summary: 'List the custom profile fields in their order',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ custom_fields: listOf(profileFieldSchema) }),
});

/** POST realm/profile_fields (reference facts, people 13). */
export const addProfileFieldEndpoint = declareEndpoint({
  name: 'add-profile-field',
  method: 'POST',
  path: '/realm/profile_fields',
  service: 'people',
  tag: 'Organization',
  summary: 'Add a custom profile field',
  example: { parameters: { name: 'Boat', hint: 'The one you sail', field_type: 1 } },
  access: administrators,
  parameters: [
    ...descriptionParameters,
    integerParameter('field_type', { required: true, description: 'A type as listed' }),
  ],
  success: object({ id: integer }),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH realm/profile_fields (reference facts, people 13). */
export const reorderProfileFieldsEndpoint = declareEndpoint({
  name: 'reorder-profile-fields',
  method: 'PATCH',
  path: '/realm/profile_fields',
  service: 'people',
  tag: 'Organization',
  summary: 'Reorder the custom profile fields',
  example: {
    parameters: { order: [exampleVariables.otherProfileFieldId, exampleVariables.profileFieldId] },
  },
  access: administrators,
  parameters: [integerListParameter('order', { required: true, description: 'All ids in order' })],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH realm/profile_fields/{field_id} (reference facts, people 13). */
export const changeProfileFieldEndpoint = declareEndpoint({
  name: 'change-profile-field',
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  service: 'people',
  tag: 'Organization',
  summary: 'Change a custom profile field, except its type',
  example: {
    parameters: {
      field_id: exampleVariables.profileFieldId,
      name: 'Mobile',
      hint: 'With the prefix',
    },
  },
  access: administrators,
  parameters: [fieldIdParameter, ...descriptionParameters],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** DELETE realm/profile_fields/{field_id} (reference facts, people 13). */
export const removeProfileFieldEndpoint = declareEndpoint({
  name: 'remove-profile-field',
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  service: 'people',
  tag: 'Organization',
  summary: 'Delete a custom profile field with all its values',
  example: { parameters: { field_id: exampleVariables.profileFieldId } },
  access: administrators,
  parameters: [fieldIdParameter],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH users/me/profile_data (reference facts, people 13). */
export const changeOwnProfileEndpoint = declareEndpoint({
  name: 'change-own-profile',
  method: 'PATCH',
  path: '/users/me/profile_data',
  service: 'people',
  tag: 'Own account',
  summary: 'Set values of custom profile fields',
  example: {
    parameters: { data: [{ id: exampleVariables.profileFieldId, value: '+47 22 00 00 00' }] },
  },
  access: { authentication: 'required', bots: 'refused' },
  afterLoss: 'repeat',
  parameters: [
    jsonParameter(
      'data',
      listOf(
        Type.Object({
          id: integer,
          value: Type.Unsafe<string | number | unknown[]>({
            type: ['string', 'integer', 'array'],
            items: {},
          }),
        }),
      ),
      { required: true, description: 'Fields with their values; person pickers take user ids' },
    ),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
});

/** DELETE users/me/profile_data (reference facts, people 13). */
export const clearOwnProfileEndpoint = declareEndpoint({
  name: 'clear-own-profile',
  method: 'DELETE',
  path: '/users/me/profile_data',
  service: 'people',
  tag: 'Own account',
  summary: 'Delete values of custom profile fields',
  example: { parameters: { data: [exampleVariables.profileFieldId] } },
  access: { authentication: 'required', bots: 'refused' },
  afterLoss: 'repeat',
  parameters: [integerListParameter('data', { required: true, description: 'Ids of fields' })],
  success: object({}),
  errors: ['BAD_REQUEST'],
});
