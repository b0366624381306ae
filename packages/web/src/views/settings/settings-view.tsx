import type { App } from '../../data/app.ts';
import { mayInvite } from '../../data/policies.ts';
import type { State } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { PlaceList } from '../navigation/place-list.tsx';
import { ownSections } from './account-sections.tsx';
import { BotsSection } from './bots-section.tsx';
import { administrationSections, sharedSections } from './organization-sections.tsx';
import { ProfileSection } from './profile-section.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { IdentitiesSection, InvitationsSection } from './read-sections.tsx';
import { SettingsPage } from './settings-page.tsx';
import type { SectionName, Sections } from './section.ts';
import { sectionTexts } from './section.ts';

/** What a person may change of the own account and of the organization. */
function sectionsFor(state: State): Readonly<Record<'own' | 'organization', Sections>> {
  const { self, realm } = state;
  const { is_admin, is_guest } = self.value;
  const mayHaveBots = !is_guest && (is_admin || realm.value.realm_bot_creation_policy !== 3);
  return {
    own: {
      ...ownSections,
      ...(realm.value.realm_authentication_methods['OpenID Connect'] === true && {
        identities: IdentitiesSection,
      }),
      ...(mayHaveBots && { bots: BotsSection }),
    },
    organization: {
      ...sharedSections,
      ...(mayInvite(state) && { invitations: InvitationsSection }),
      ...(is_admin && administrationSections),
    },
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
  return (
    <SettingsPage
      title={title}
      back={[app.addressOf({ view: 'settings', section: '' }), t.allSettings]}
      navigation={
        <nav class="navigation" aria-label={t.settings}>
          {(['own', 'organization'] as const).map((group) => (
            <section key={group} aria-label={t[group]}>
              <h2>{t[group]}</h2>
              <PlaceList
                app={app}
                entries={(Object.keys(sections[group]) as SectionName[]).map((each) => ({
                  place: { view: 'settings', section: each },
                  name: sectionTexts[each].title,
                  isCurrent: each === name,
                  beside: false,
                }))}
              />
            </section>
          ))}
        </nav>
      }
      isChosen={isChosen}
    >
      {note !== undefined && <p>{note}</p>}
      <Section key={name} app={app} />
      <ProofDialog />
    </SettingsPage>
  );
}
