/** What people change of their own account. */
import type { App } from './app.ts';
import { operation } from './operation.ts';

export const changeDisplaySettings = operation('PATCH /settings/display');
export const changeNotificationSettings = operation('PATCH /settings/notifications');
export const setEnterSends = operation('POST /users/me/enter-sends');
export const changeOwnAccount = operation('PATCH /settings');
export const changeOwnStatus = operation('POST /users/me/status');
export const uploadOwnAvatar = operation('POST /users/me/avatar');
export const removeOwnAvatar = operation('DELETE /users/me/avatar');
export const deactivateOwnAccount = operation('DELETE /users/me');

export const addAlertWords = operation('POST /users/me/alert_words');
export const removeAlertWords = operation('DELETE /users/me/alert_words');

/** @returns the API key of the signed-in person, who has to give the password again */
export async function readApiKey(app: App, password: string): Promise<string> {
  const { delivery_email, email } = app.state.self.peek();
  const username = delivery_email === '' ? email : delivery_email;
  const answer = await app.client.request('POST /fetch_api_key', { username, password });
  return answer.api_key;
}

export const replaceApiKey = operation('POST /users/me/api_key/regenerate');

export const createBot = operation('POST /bots');
export const changeBot = operation('PATCH /bots/{bot_id}');
export const deactivateBot = operation('DELETE /bots/{bot_id}');
export const replaceBotKey = operation('POST /bots/{bot_id}/api_key/regenerate');

/** @returns the file with which programs of other makers sign in as a bot */
export function botConfiguration(
  site: string,
  bot: { readonly email: string; readonly api_key: string },
): string {
  return `[api]\nemail=${bot.email}\nkey=${bot.api_key}\nsite=${site}\n`;
}

/** @param value text, or ids of people; nothing in it takes the field out of the profile */
export async function setProfileValue(
  app: App,
  id: number,
  value: string | readonly number[],
): Promise<void> {
  if (value.length === 0) await app.client.request('DELETE /users/me/profile_data', { data: [id] });
  else
    await app.client.request('PATCH /users/me/profile_data', {
      data: [{ id, value: typeof value === 'string' ? value : [...value] }],
    });
}

export const listSessions = operation('GET /sessions');
export const endSession = operation('DELETE /sessions/{session_id}');
export const endOtherSessions = operation('DELETE /sessions');
