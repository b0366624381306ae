/** Light and dark colours: dark ones are a setting of the account, light ones where the device has dark ones a choice of the browser. */
import type { App } from './app.ts';

export const themes = ['device', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

export function themeOf({ state, lightHere }: App): Theme {
  if (state.settings.value.night_mode) return 'dark';
  return lightHere.items.value.length > 0 ? 'light' : 'device';
}

/** @throws ApiError, NoAnswerError */
export async function setTheme(app: App, theme: Theme): Promise<void> {
  app.lightHere.change(() => (theme === 'light' ? [true] : []));
  const night_mode = theme === 'dark';
  if (night_mode !== app.state.settings.peek().night_mode)
    await app.request('PATCH /settings/display', { night_mode });
}
