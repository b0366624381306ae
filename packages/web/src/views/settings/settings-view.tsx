import '../../styles/settings.css';
import type { ComponentType } from 'preact';

import type { App } from '../../data/app.ts';
import type { State } from '../../data/state.ts';
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
  DomainsSection,
  EmojiSection,
  LinkifiersSection,
  OrganizationSection,
  PermissionsSection,
} from './organization-sections.tsx';
import { GroupsSection, PeopleSection } from './people-sections.tsx';
import { ProfileFieldsSection } from './profile-fields-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import type { SectionName, SectionProps } from './section.ts';
import { sectionTexts } from './section.ts';
import { DefaultStreamsSection, StreamGroupsSection } from './stream-sections.tsx';

type Sections = Readonly<Partial<Record<SectionName, ComponentType<SectionProps>>>>;

const own: Sections = {
  profile: ProfileSection,
  display: DisplaySection,
  notifications: NotificationsSection,
  'alert-words': AlertWordsSection,
  sessions: SessionsSection,
  'api-key': ApiKeySection,
  account: AccountSection,
};
const open: Sections = { groups: GroupsSection, emoji: EmojiSection };
const administration: Sections = {
  organization: OrganizationSection,
  permissions: PermissionsSection,
  people: PeopleSection,
  'default-streams': DefaultStreamsSection,
  'stream-groups': StreamGroupsSection,
  linkifiers: LinkifiersSection,
  'profile-fields': ProfileFieldsSection,
  domains: DomainsSection,
};

/** What a person may change of the own account and of the organization. */
function sectionsFor({ self, realm }: State): Readonly<Record<'own' | 'organization', Sections>> {
  const { is_admin, is_guest } = self.value;
  const mayHaveBots = !is_guest && (is_admin || realm.value.realm_bot_creation_policy !== 3);
  return {
    own: { ...own, ...(mayHaveBots && { bots: BotsSection }) },
    organization: { ...open, ...(is_admin && administration) },
  };
}

/** The settings: a list of sections, and one of them. Narrow pages show the list alone until a section is chosen. */
export function SettingsView({ app, section }: { readonly app: App; readonly section: string }) {
  const sections = sectionsFor(app.state);
  const all: Sections = { ...sections.own, ...sections.organization };
  const isChosen = Object.hasOwn(all, section);
  const name = isChosen ? (section as SectionName) : 'profile';
  const Section = all[name] ?? ProfileSection;
  const { title, note } = sectionTexts[name];
  const addressOf = (each: string): string => app.addressOf({ view: 'settings', section: each });
  return (
    <div class="page settings-page">
      <div class="settings" data-chosen={isChosen}>
        <nav class="settings-sections" aria-label={t.settings}>
          {(['own', 'organization'] as const).map((group) => (
            <section key={group}>
              <h2>{t[group]}</h2>
              <ul>
                {(Object.keys(sections[group]) as SectionName[]).map((each) => (
                  <li key={each}>
                    <a href={addressOf(each)} aria-current={each === name ? 'page' : undefined}>
                      {sectionTexts[each].title}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <div class="settings-section">
          <a class="settings-back" href={addressOf('')}>
            {t.allSettings}
          </a>
          <h1>{title}</h1>
          {note !== undefined && <p>{note}</p>}
          <Section key={name} app={app} />
        </div>
      </div>
    </div>
  );
}
