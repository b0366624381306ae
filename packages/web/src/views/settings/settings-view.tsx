import type { App } from '../../data/app.ts';

export function SettingsView({ app, section }: { readonly app: App; readonly section: string }) {
  return <main aria-label={section}>{app.state.self.value.full_name}</main>;
}
