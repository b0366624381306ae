import type { App } from '../../data/app.ts';
import { reactivatePerson } from '../../data/people-actions.ts';
import {
  botConfiguration,
  changeBot,
  createBot,
  deactivateBot,
  replaceBotKey,
} from '../../data/settings-actions.ts';
import type { Registered } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { ActionButton } from './action-button.tsx';
import { choice, line, listed } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import { PictureField } from './picture-field.tsx';
import type { SectionProps } from './section.ts';

type Bot = Registered['realm_bots'][number];

const nameField = line('full_name', { required: true, maxLength: 100 });
const newBotFields = [
  nameField,
  line('short_name', { required: true, maxLength: 60 }),
  listed('bot_type'),
  line('payload_url', { type: 'url', maxLength: 2048 }),
];

/** The address of the file with which programs of other makers sign in as a bot; a download reads it at once. */
function configurationAddress(bot: Bot): string {
  return `data:application/octet-stream,${encodeURIComponent(botConfiguration(location.origin, bot))}`;
}

function BotEditor({ app, bot }: { readonly app: App; readonly bot: Bot }) {
  const { user_id: bot_id, full_name, default_sending_stream, services } = bot;
  const streams = [...app.state.subscriptions.value.values()];
  const fields = [
    nameField,
    choice('default_sending_stream', [
      ['', t.noStream],
      ...streams.map(({ name }) => [name, `#${name}`] as const),
    ]),
    ...(services.length > 0 ? [line('service_payload_url', { type: 'url', required: true })] : []),
  ];
  return (
    <>
      <p>
        {t.bots.key}: <code>{bot.api_key}</code>
      </p>
      <PictureField
        name="picture"
        picture={<Avatar person={bot} size={64} />}
        upload={async (picture) => changeBot(app, { bot_id, file: picture })}
      />
      <SavedFields
        fields={fields}
        values={{
          full_name,
          default_sending_stream: default_sending_stream ?? '',
          service_payload_url: services[0]?.base_url ?? '',
        }}
        save={async (change) => changeBot(app, { bot_id, ...change })}
      />
      <a href={configurationAddress(bot)} download="zuliprc">
        {t.bots.configuration}
      </a>
      <ActionButton
        label={t.bots.replaceKey}
        about={full_name}
        warning={t.warnings.replaceBotKey}
        run={async () => replaceBotKey(app, { bot_id })}
      />
      <ActionButton
        label={t.deactivate}
        about={full_name}
        warning={t.warnings.deactivateBot}
        run={async () => deactivateBot(app, { bot_id })}
      />
    </>
  );
}

export function BotsSection({ app }: SectionProps) {
  const { rest, self } = app.state;
  const bots = rest.value.realm_bots.filter(({ owner }) => owner === self.value.email);
  return (
    <ListSection
      name="bots"
      rows={bots.map((bot) => ({
        key: bot.user_id,
        title: bot.full_name,
        detail: bot.email,
        ...(bot.is_active
          ? { edit: () => <BotEditor app={app} bot={bot} /> }
          : {
              actions: [
                {
                  label: t.reactivate,
                  run: async () => reactivatePerson(app, { user_id: bot.user_id }),
                },
              ],
            }),
      }))}
      fields={newBotFields}
      add={async ({ payload_url, ...bot }) =>
        createBot(app, { ...bot, payload_url: payload_url === '' ? undefined : payload_url })
      }
    />
  );
}
