import { useSignal, useSignalEffect } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../data/app.ts';
import { report } from '../data/notices.ts';
import { mayInvite } from '../data/policies.ts';
import { signOut } from '../data/session.ts';
import { setTheme, themeOf, themes } from '../data/theme.ts';
import { texts } from '../texts.ts';
import { bindAddress } from './address-binding.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { showsSheet } from './keyboard/commands.ts';
import { Keyboard } from './keyboard/keyboard.tsx';
import { lazy } from './lazy.tsx';
import { MessageView } from './messages/message-view.tsx';
import { MovedLine } from './messages/moved-line.tsx';
import { PlaceHeader } from './messages/place-header.tsx';
import { TypingNote } from './messages/typing-note.tsx';
import { shownPicture } from './messages/shown-picture.ts';
import { Navigation } from './navigation/navigation.tsx';
import { showCurrent } from './navigation/place-list.tsx';
import { Avatar } from './parts/avatar.tsx';
import { useDialog } from './parts/dialog-button.tsx';
import { focusMain } from './parts/focus.ts';
import { IconButton } from './parts/icon-button.tsx';
import { Menu } from './parts/menu.tsx';
import { isOwnPicture } from './parts/rendered-rules.ts';
import { Toasts } from './parts/toast.tsx';
import { shownPerson } from './people/shown-person.ts';
import { UserList } from './people/user-list.tsx';
import { RecentView } from './recent/recent-view.tsx';
import type { Unkept } from './sign-out.tsx';
import { SearchBox } from './search/search-box.tsx';

const ComposeArea = lazy(
  async () => (await import('./compose/compose-area.tsx')).ComposeArea,
  true,
);
const Notifications = lazy(
  async () => (await import('./notifications/page-notifications.tsx')).Notifications,
  true,
);
const DraftsView = lazy(async () => (await import('./drafts/written-views.tsx')).DraftsView);
const ScheduledView = lazy(async () => (await import('./drafts/written-views.tsx')).ScheduledView);
const InboxView = lazy(async () => (await import('./inbox/inbox-view.tsx')).InboxView);
const SettingsView = lazy(async () => (await import('./settings/settings-view.tsx')).SettingsView);
const StreamsView = lazy(async () => (await import('./streams/streams-view.tsx')).StreamsView);
const SignOutQuestion = lazy(async () => (await import('./sign-out.tsx')).SignOutQuestion);
const StatusForm = lazy(async () => (await import('./people/status-form.tsx')).StatusForm);
const PictureViewer = lazy(
  async () => (await import('./messages/picture-viewer.tsx')).PictureViewer,
  true,
);
const PersonDialog = lazy(async () => (await import('./people/person-dialog.tsx')).PersonDialog);

/** The page of a signed-in person: the bar above, navigation, the place in the middle, people, and where to write. */
export function Shell({ app }: { readonly app: App }) {
  useEffect(() => bindAddress(app), [app]);
  const opened = useSignal<Bar | undefined>(undefined);
  useSignalEffect(() => {
    const { high_contrast_mode, dense_mode } = app.state.settings.value;
    const theme = themeOf(app);
    Object.assign(document.documentElement.dataset, {
      theme: theme === 'device' ? '' : theme,
      contrast: high_contrast_mode ? 'high' : '',
      density: dense_mode ? 'dense' : '',
    });
  });
  useSignalEffect(() => {
    // Whoever chose a place on a narrow screen wants to see it.
    if (app.place.value !== undefined) opened.value = undefined;
  });
  useEffect(() => {
    // It is in sight only now.
    if (opened.value === 'navigation') showCurrent(document.querySelector('.navigation'));
  }, [opened.value]);
  const { view } = app.place.value;
  return (
    <div class="shell" data-opened={opened.value}>
      <a
        class="skip visually-hidden"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          focusMain();
        }}
      >
        {texts.shell.skip}
      </a>
      <header class="top-bar">
        <BarToggle bar="navigation" icon="menu" opened={opened} />
        <a class="organization line" href={app.addressOf({ view: 'recent' })}>
          <Logo app={app} />
        </a>
        <SearchBox app={app} />
        <BarToggle bar="people" icon="people" opened={opened} />
        <AccountMenu app={app} />
      </header>
      <div id="navigation" class="side-bar">
        <Navigation app={app} />
      </div>
      <main
        id="main"
        tabIndex={-1}
        onFocusIn={({ target, currentTarget }) => {
          // What is opened lies over it. It has the focus itself when what had it is gone.
          if (target !== currentTarget) opened.value = undefined;
        }}
      >
        <Connection app={app} />
        <Notifications app={app} />
        <Place app={app} />
        {(view === 'messages' || view === 'recent') && <ComposeArea app={app} />}
      </main>
      <aside
        id="people"
        class="people-bar"
        aria-label={texts.shell.people}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || opened.value !== 'people') return;
          event.stopPropagation();
          opened.value = undefined;
          focusMain();
        }}
      >
        <UserList app={app} />
      </aside>
      {shownPerson.value !== undefined && <PersonDialog app={app} />}
      {shownPicture.value !== undefined && <PictureViewer />}
      <Keyboard app={app} />
      <Toasts />
    </div>
  );
}

/** What is beside the messages: on a narrow screen only while it is opened. */
type Bar = 'navigation' | 'people';

type BarToggleProps = {
  readonly bar: Bar;
  readonly icon: IconName;
  readonly opened: Signal<Bar | undefined>;
};

/** Shown where its bar is not always there. */
function BarToggle({ bar, icon, opened }: BarToggleProps) {
  const isOpen = opened.value === bar;
  return (
    <IconButton
      class={`plain toggle-${bar}`}
      icon={icon}
      label={bar === 'people' ? texts.shell.togglePeople : texts.shell.toggleNavigation}
      aria-expanded={isOpen}
      aria-controls={bar}
      onClick={() => (opened.value = isOpen ? undefined : bar)}
    />
  );
}

function Place({ app }: { readonly app: App }) {
  const place = app.place.value;
  switch (place.view) {
    case 'messages':
      return (
        <>
          <PlaceHeader app={app} narrow={place.narrow} />
          <MovedLine app={app} narrow={place.narrow} />
          <MessageView app={app} place={place} />
          <TypingNote app={app} narrow={place.narrow} />
        </>
      );
    case 'drafts':
      return <DraftsView app={app} />;
    case 'scheduled':
      return <ScheduledView app={app} />;
    case 'settings':
      return <SettingsView app={app} section={place.section} />;
    case 'streams':
      return <StreamsView app={app} streamId={place.streamId} />;
    case 'inbox':
      return <InboxView app={app} />;
    case 'recent':
      return <RecentView app={app} />;
  }
}

/** Says quietly that events do not arrive at the moment. */
function Connection({ app }: { readonly app: App }) {
  const state = app.connection.value;
  return (
    <p class="connection" role="status" data-state={state}>
      {state !== 'live' && (
        <>
          <Icon name="offline" /> {texts.shell.connection[state]}
        </>
      )}
    </p>
  );
}

/** The logo of the organization for the colours that are shown, or its name. */
function Logo({ app }: { readonly app: App }) {
  const realm = app.state.realm.value;
  const theme = themeOf(app);
  const isDark =
    theme === 'device' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  const address = isDark ? realm.realm_night_logo_url : realm.realm_logo_url;
  const source = isDark ? realm.realm_night_logo_source : realm.realm_logo_source;
  return source === 'U' && isOwnPicture(address, location.origin) ? (
    <img class="logo" src={address} alt={realm.realm_name} />
  ) : (
    <>{realm.realm_name}</>
  );
}

function AccountMenu({ app }: { readonly app: App }) {
  const self = app.state.self.value;
  const status = useDialog(texts.status.title, (close) => <StatusForm app={app} onClose={close} />);
  /** What the browser alone has, which signing out would erase. */
  const unkept = useSignal<Unkept | undefined>(undefined);
  const endSession = async (): Promise<void> => {
    const { leaveDrafts } = await import('../data/draft-sync.ts');
    const drafts = await leaveDrafts(app);
    const unsent = app.outbox.pending.peek().length;
    if (drafts + unsent > 0) unkept.value = { drafts, unsent };
    else await signOut();
  };
  return (
    <>
      <Menu
        label={texts.shell.account}
        items={() => [
          { label: texts.status.title, onSelect: status.open },
          { label: texts.shell.profile, onSelect: () => (shownPerson.value = self.user_id) },
          {
            label: texts.shell.settings,
            onSelect: () => app.navigate({ view: 'settings', section: '' }),
          },
          mayInvite(app.state) && {
            label: texts.shell.invite,
            onSelect: () => app.navigate({ view: 'settings', section: 'invitations' }),
          },
          ...themes
            .filter((each) => each !== themeOf(app))
            .map((each) => ({
              label: texts.shell.themes[each],
              onSelect: () => report(setTheme(app, each)),
            })),
          { label: texts.keyboard.title, onSelect: () => (showsSheet.value = true) },
          { label: texts.shell.reference, onSelect: () => open('/api/docs', '_blank', 'noopener') },
          { label: texts.shell.signOut, onSelect: () => report(endSession()) },
        ]}
      >
        <Avatar person={self} size={32} />
      </Menu>
      {status.dialog}
      {unkept.value !== undefined && (
        <SignOutQuestion unkept={unkept.value} onClose={() => (unkept.value = undefined)} />
      )}
    </>
  );
}
