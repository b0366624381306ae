import { listOf, profileFieldSchema } from '@parley/api-schemas';
import {
  defineEndpoint,
  exampleVariables,
  json,
  jsonInteger,
  jsonIntegerList,
  pathInteger,
  text,
} from '@parley/http';
import { listProfileFields, profileFieldJson } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { changeOwnProfile } from '../profile-fields/change-values.ts';
import {
  addField,
  changeField,
  removeField,
  reorderFields,
} from '../profile-fields/change-fields.ts';
import { emptyAnswer } from './empty-answer.ts';

const fieldId = pathInteger('field_id', { description: 'The id of the field' });
const administrators = { authentication: 'required', administratorsOnly: true } as const;
const description = [
  text('name', { default: '', description: 'The label, at most 40 characters' }),
  text('hint', { default: '', description: 'At most 80 characters' }),
  json(
    'field_data',
    {},
    { default: {}, description: 'The choices of a list, or the external account' },
  ),
] as const;

/** GET realm/profile_fields (reference facts, people 13). */
export const listProfileFieldsEndpoint = defineEndpoint({
  name: 'list-profile-fields',
  method: 'GET',
  path: '/realm/profile_fields',
  summary: 'List the custom profile fields in their order',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      custom_fields: listOf(profileFieldSchema),
    },
    required: ['custom_fields'],
  },
  handler: async (context: PresenceContext) => ({
    custom_fields: (await listProfileFields(context.pool)).map(profileFieldJson),
  }),
});

/** POST realm/profile_fields (reference facts, people 13). */
export const addProfileFieldEndpoint = defineEndpoint({
  name: 'add-profile-field',
  method: 'POST',
  path: '/realm/profile_fields',
  summary: 'Add a custom profile field',
  example: { parameters: { name: 'Boat', hint: 'The one you sail', field_type: 1 } },
  access: administrators,
  parameters: [
    ...description,
    jsonInteger('field_type', { required: true, description: 'A type as listed' }),
  ],
  response: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => ({
    id: await addField(context, caller, parameters.field_type, {
      name: parameters.name,
      hint: parameters.hint,
      fieldData: parameters.field_data,
    }),
  }),
});

/** PATCH realm/profile_fields (reference facts, people 13). */
export const reorderProfileFieldsEndpoint = defineEndpoint({
  name: 'reorder-profile-fields',
  method: 'PATCH',
  path: '/realm/profile_fields',
  summary: 'Put the custom profile fields in another order',
  example: {
    parameters: { order: [exampleVariables.otherProfileFieldId, exampleVariables.profileFieldId] },
  },
  access: administrators,
  parameters: [jsonIntegerList('order', { required: true, description: 'All ids in order' })],
  response: emptyAnswer,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await reorderFields(context, caller, parameters.order);
    return {};
  },
});

/** PATCH realm/profile_fields/{field_id} (reference facts, people 13). */
export const changeProfileFieldEndpoint = defineEndpoint({
  name: 'change-profile-field',
  method: 'PATCH',
  path: '/realm/profile_fields/:field_id',
  summary: 'Change a custom profile field, but for its type',
  example: {
    parameters: {
      field_id: exampleVariables.profileFieldId,
      name: 'Mobile',
      hint: 'With the prefix',
    },
  },
  access: administrators,
  parameters: [fieldId, ...description],
  response: emptyAnswer,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await changeField(context, caller, parameters.field_id, {
      name: parameters.name,
      hint: parameters.hint,
      fieldData: parameters.field_data,
    });
    return {};
  },
});

/** DELETE realm/profile_fields/{field_id} (reference facts, people 13). */
export const removeProfileFieldEndpoint = defineEndpoint({
  name: 'remove-profile-field',
  method: 'DELETE',
  path: '/realm/profile_fields/:field_id',
  summary: 'Delete a custom profile field with everything that was filled in',
  example: { parameters: { field_id: exampleVariables.profileFieldId } },
  access: administrators,
  parameters: [fieldId],
  response: emptyAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removeField(context, caller, parameters.field_id);
    return {};
  },
});

/** PATCH users/me/profile_data (reference facts, people 13). */
export const changeOwnProfileEndpoint = defineEndpoint({
  name: 'change-own-profile',
  method: 'PATCH',
  path: '/users/me/profile_data',
  summary: 'Fill in custom profile fields',
  example: {
    parameters: { data: [{ id: exampleVariables.profileFieldId, value: '+47 22 00 00 00' }] },
  },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [
    json(
      'data',
      {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            value: { type: ['string', 'integer', 'array'], items: {} },
          },
          required: ['id', 'value'],
        },
      },
      { required: true, description: 'Fields with their values; person pickers take user ids' },
    ),
  ],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await changeOwnProfile(context, caller, { set: parameters.data, removed: [] });
    return {};
  },
});

/** DELETE users/me/profile_data (reference facts, people 13). */
export const clearOwnProfileEndpoint = defineEndpoint({
  name: 'clear-own-profile',
  method: 'DELETE',
  path: '/users/me/profile_data',
  summary: 'Empty custom profile fields',
  example: { parameters: { data: [exampleVariables.profileFieldId] } },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [jsonIntegerList('data', { required: true, description: 'Ids of fields' })],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await changeOwnProfile(context, caller, { set: [], removed: parameters.data });
    return {};
  },
});
