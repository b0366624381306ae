import type { App } from '../../data/app.ts';
import {
  botConfiguration,
  changeBot,
  createBot,
  deactivateBot,
  replaceBotKey,
} from '../../data/settings-actions.ts';
import type { Registered } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton } from './action-button.tsx';
import { Disclosure } from './disclosure.tsx';
import { choice, line, policy } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import type { SectionProps } from './section.ts';

type Bot = Registered['realm_bots'][number];

const newBotFields = [
  line('full_name', { required: true, maxLength: 100 }),
  line('short_name', { required: true, maxLength: 60 }),
  policy('bot_type', t.botTypes),
  line('payload_url', { type: 'url' }),
];

function downloadConfiguration(bot: Bot): void {
  const address = URL.createObjectURL(
    new Blob([botConfiguration(location.origin, bot)], { type: 'application/octet-stream' }),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = 'zuliprc';
  link.click();
  URL.revokeObjectURL(address);
}

function BotEditor({ app, bot }: { readonly app: App; readonly bot: Bot }) {
  const fields = [
    line('full_name', { required: true, maxLength: 100 }),
    choice('default_sending_stream', [
      { value: '', label: t.noStream },
      ...[...app.state.subscriptions.value.values()].map(({ name }) => ({
        value: name,
        label: `#${name}`,
      })),
    ]),
  ];
  return (
    <>
      <p>
        {t.bots.key}: <code>{bot.api_key}</code>
      </p>
      <SavedFields
        fields={fields}
        values={{
          full_name: bot.full_name,
          default_sending_stream: bot.default_sending_stream ?? '',
        }}
        save={async (change) => changeBot(app, { bot_id: bot.user_id, ...change })}
      />
      <p class="form-end">
        <button type="button" onClick={() => downloadConfiguration(bot)}>
          {t.bots.configuration}
        </button>
        <ActionButton
          label={t.bots.replaceKey}
          about={bot.full_name}
          warning={t.warnings.replaceBotKey}
          run={async () => replaceBotKey(app, { bot_id: bot.user_id })}
        />
        <ActionButton
          label={t.deactivate}
          about={bot.full_name}
          warning={t.warnings.deactivateBot}
          run={async () => deactivateBot(app, { bot_id: bot.user_id })}
        />
      </p>
    </>
  );
}

export function BotsSection({ app }: SectionProps) {
  const { rest, self } = app.state;
  const bots = rest.value.realm_bots.filter(
    ({ owner, is_active }) => is_active && owner === self.value.email,
  );
  return (
    <ListSection
      name="bots"
      rows={bots.map((bot) => ({
        key: bot.user_id,
        title: bot.full_name,
        detail: bot.email,
        actions: (
          <Disclosure
            label={t.edit}
            about={bot.full_name}
            content={() => <BotEditor app={app} bot={bot} />}
          />
        ),
      }))}
      fields={newBotFields}
      add={async ({ payload_url, ...bot }) =>
        createBot(app, { ...bot, payload_url: payload_url === '' ? undefined : payload_url })
      }
    />
  );
}
