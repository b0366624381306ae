import { proven } from '../../data/proof.ts';
import type { Registered } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import type { Actions } from './action-button.tsx';
import { reactivation } from './action-button.tsx';
import { choice, line, listed, nameField } from './fields.ts';
import { PictureField, SavedFields } from './form.tsx';
import { ListSection } from './rows.tsx';
import type { SectionProps } from './section.ts';

const newBotFields = [
  nameField,
  line('short_name', { required: true, maxLength: 60 }),
  listed('bot_type'),
  line('payload_url', { type: 'url', maxLength: 2048 }),
];

type Bot = Registered['realm_bots'][number];

/** Where the file is with which programs of other makers sign in as a bot. */
function configurationAddress({ email, api_key }: Bot): string {
  const text = `[api]\nemail=${email}\nkey=${api_key}\nsite=${location.origin}\n`;
  return `data:application/octet-stream,${encodeURIComponent(text)}`;
}

function BotEditor({ app, bot }: SectionProps & { readonly bot: Bot }) {
  const { user_id: bot_id, full_name, default_sending_stream, services } = bot;
  const streams = [...app.state.subscriptions.value.values()];
  return (
    <>
      <p>
        {t.bots.key}: <code>{bot.api_key}</code>{' '}
        <a href={configurationAddress(bot)} download="zuliprc">
          {t.bots.configuration}
        </a>
      </p>
      <PictureField
        name="picture"
        picture={<Avatar person={bot} size={64} />}
        upload={(file) => app.request('PATCH /bots/{bot_id}', { bot_id, file })}
      />
      <SavedFields
        fields={[
          nameField,
          choice('default_sending_stream', [
            ['', t.noStream],
            ...streams.map(({ name }) => [name, `#${name}`] as const),
          ]),
          ...services.map(() => line('service_payload_url', { type: 'url', required: true })),
        ]}
        values={{
          full_name,
          default_sending_stream: default_sending_stream ?? '',
          service_payload_url: services[0]?.base_url ?? '',
        }}
        save={(change) => app.request('PATCH /bots/{bot_id}', { bot_id, ...change })}
      />
    </>
  );
}

export function BotsSection({ app }: SectionProps) {
  const { self, realm } = app.state;
  const bots = realm.value.realm_bots.filter(({ owner }) => owner === self.value.email);
  const actionsOn = ({ user_id: bot_id, is_active }: Bot): Actions => [
    is_active && {
      label: t.bots.replaceKey,
      warning: t.warnings.replaceBotKey,
      run: () =>
        proven((password) =>
          app.request('POST /bots/{bot_id}/api_key/regenerate', { bot_id, password }),
        ),
    },
    is_active && {
      label: t.deactivate,
      warning: t.warnings.deactivateBot,
      run: () => app.request('DELETE /bots/{bot_id}', { bot_id }),
    },
    !is_active && reactivation(app, bot_id),
  ];
  return (
    <ListSection
      name="bots"
      rows={bots.map((bot) => ({
        key: bot.user_id,
        title: bot.full_name,
        detail: bot.email,
        edit: bot.is_active && (() => <BotEditor app={app} bot={bot} />),
        actions: actionsOn(bot),
      }))}
      fields={newBotFields}
      add={({ payload_url, ...bot }) =>
        app.request('POST /bots', {
          ...bot,
          payload_url: payload_url === '' ? undefined : payload_url,
        })
      }
    />
  );
}
