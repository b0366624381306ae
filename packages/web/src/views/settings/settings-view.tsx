import '../../styles/settings.css';
import type { ComponentType } from 'preact';

import type { App } from '../../data/app.ts';
import type { Self, State } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import {
  AccountSection,
  AlertWordsSection,
  ApiKeySection,
  DisplaySection,
  NotificationsSection,
  SessionsSection,
} from './account-sections.tsx';
import { BotsSection } from './bots-section.tsx';
import {
  DefaultStreamsSection,
  DomainsSection,
  EmojiSection,
  LinkifiersSection,
  OrganizationSection,
  PermissionsSection,
  ProfileFieldsSection,
} from './organization-sections.tsx';
import { GroupsSection, PeopleSection } from './people-sections.tsx';
import { ProfileSection } from './profile-section.tsx';
import type { SectionProps } from './section.ts';

type SectionName = keyof typeof t.sections;
type Sections = Readonly<Partial<Record<SectionName, ComponentType<SectionProps>>>>;

function ownSections({ is_guest, is_admin }: Self, { realm }: State): Sections {
  const mayCreateBots = !is_guest && (is_admin || realm.value.realm_bot_creation_policy !== 3);
  return {
    profile: ProfileSection,
    display: DisplaySection,
    notifications: NotificationsSection,
    'alert-words': AlertWordsSection,
    ...(mayCreateBots && { bots: BotsSection }),
    sessions: SessionsSection,
    'api-key': ApiKeySection,
    account: AccountSection,
  };
}

/** Members see what they may change; guests see groups and emoji. */
function organizationSections({ is_admin }: Self): Sections {
  const open = { groups: GroupsSection, emoji: EmojiSection };
  if (!is_admin) return open;
  return {
    organization: OrganizationSection,
    permissions: PermissionsSection,
    people: PeopleSection,
    ...open,
    'default-streams': DefaultStreamsSection,
    linkifiers: LinkifiersSection,
    'profile-fields': ProfileFieldsSection,
    domains: DomainsSection,
  };
}

function SectionLinks({
  app,
  title,
  sections,
  current,
}: {
  readonly app: App;
  readonly title: string;
  readonly sections: Sections;
  readonly current: string;
}) {
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {(Object.keys(sections) as SectionName[]).map((name) => (
          <li key={name}>
            <a
              href={app.addressOf({ view: 'settings', section: name })}
              {...(name === current ? { 'aria-current': 'page' } : {})}
            >
              {t.sections[name]}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The settings: a list of sections, and one of them. Narrow pages show the list alone until a section is chosen. */
export function SettingsView({ app, section }: { readonly app: App; readonly section: string }) {
  const self = app.state.self.value;
  const own = ownSections(self, app.state);
  const organization = organizationSections(self);
  const all: Sections = { ...own, ...organization };
  const isChosen = Object.hasOwn(all, section);
  const name = isChosen ? (section as SectionName) : 'profile';
  const Section = all[name] ?? ProfileSection;
  return (
    <div class="settings-page">
      <div class="settings" data-chosen={isChosen}>
        <nav class="settings-sections" aria-label={t.settings}>
          <SectionLinks app={app} title={t.own} sections={own} current={name} />
          <SectionLinks app={app} title={t.organization} sections={organization} current={name} />
        </nav>
        <div class="settings-section">
          <a class="settings-back" href={app.addressOf({ view: 'settings', section: '' })}>
            {t.allSettings}
          </a>
          <h1>{t.sections[name]}</h1>
          <Section key={name} app={app} />
        </div>
      </div>
    </div>
  );
}
