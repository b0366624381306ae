import {
  addProfileFieldEndpoint,
  changeOwnProfileEndpoint,
  changeProfileFieldEndpoint,
  clearOwnProfileEndpoint,
  listProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
  reorderProfileFieldsEndpoint,
} from '@parley/api/organization';
import { implement } from '@parley/server';
import {
  addField,
  changeField,
  changeOwnProfile,
  removeField,
  reorderFields,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { profileFieldJson } from '@parley/store/objects';
import { listProfileFields } from '@parley/store';

export const listProfileFieldsHandler = implement(
  listProfileFieldsEndpoint,
  async (context: PeopleContext) => ({
    custom_fields: (await listProfileFields(context.pool)).map(profileFieldJson),
  }),
);

export const addProfileFieldHandler = implement(
  addProfileFieldEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    id: await addField(context, caller, parameters.field_type, {
      name: parameters.name,
      hint: parameters.hint,
      fieldData: parameters.field_data,
    }),
  }),
);

export const reorderProfileFieldsHandler = implement(
  reorderProfileFieldsEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await reorderFields(context, caller, parameters.order);
    return {};
  },
);

export const changeProfileFieldHandler = implement(
  changeProfileFieldEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await changeField(context, caller, parameters.field_id, {
      name: parameters.name,
      hint: parameters.hint,
      fieldData: parameters.field_data,
    });
    return {};
  },
);

export const removeProfileFieldHandler = implement(
  removeProfileFieldEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removeField(context, caller, parameters.field_id);
    return {};
  },
);

export const changeOwnProfileHandler = implement(
  changeOwnProfileEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await changeOwnProfile(context, caller, { set: parameters.data, removed: [] });
    return {};
  },
);

export const clearOwnProfileHandler = implement(
  clearOwnProfileEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await changeOwnProfile(context, caller, { set: [], removed: parameters.data });
    return {};
  },
);
