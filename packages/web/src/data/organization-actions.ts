/** What administrators change of the organization, and others where it permits that. */
import { operation } from './operation.ts';

export const changeOrganization = operation('PATCH /realm');
export const uploadIcon = operation('POST /realm/icon');
export const removeIcon = operation('DELETE /realm/icon');
export const uploadLogo = operation('POST /realm/logo');
export const removeLogo = operation('DELETE /realm/logo');

export const addDefaultStream = operation('POST /default_streams');
export const removeDefaultStream = operation('DELETE /default_streams');

export const addEmoji = operation('POST /realm/emoji/{emoji_name}');
export const removeEmoji = operation('DELETE /realm/emoji/{emoji_name}');

export const addLinkifier = operation('POST /realm/filters');
export const removeLinkifier = operation('DELETE /realm/filters/{filter_id}');

export const addProfileField = operation('POST /realm/profile_fields');
export const removeProfileField = operation('DELETE /realm/profile_fields/{field_id}');

export const addDomain = operation('POST /realm/domains');
export const removeDomain = operation('DELETE /realm/domains/{domain}');

export const changeDomain = operation('PATCH /realm/domains/{domain}');

export const changeProfileField = operation('PATCH /realm/profile_fields/{field_id}');
export const reorderProfileFields = operation('PATCH /realm/profile_fields');

export const createStreamGroup = operation('POST /default_stream_groups/create');
export const changeStreamGroup = operation('PATCH /default_stream_groups/{group_id}');
export const changeStreamsOfGroup = operation('PATCH /default_stream_groups/{group_id}/streams');
export const deleteStreamGroup = operation('DELETE /default_stream_groups/{group_id}');
