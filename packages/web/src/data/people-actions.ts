/** What administrators do with accounts, and people with groups. */
import { operation } from './operation.ts';

export const createPerson = operation('POST /users');
export const changePerson = operation('PATCH /users/{user_id}');
export const deactivatePerson = operation('DELETE /users/{user_id}');
export const reactivatePerson = operation('POST /users/{user_id}/reactivate');

export const createGroup = operation('POST /user_groups/create');
export const changeGroup = operation('PATCH /user_groups/{group_id}');
export const changeGroupMembers = operation('POST /user_groups/{group_id}/members');
export const deleteGroup = operation('DELETE /user_groups/{group_id}');
