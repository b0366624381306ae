/** Sections about the streams of new people. */
import type { App } from '../../data/app.ts';
import type { Registered } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { removal } from './action-button.tsx';
import { area, choice, differenceOf, line, several, streamChoices } from './fields.ts';
import { SavedFields } from './form.tsx';
import type { Row } from './rows.tsx';
import { ListSection } from './rows.tsx';
import type { SectionProps } from './section.ts';

/** Public streams that new people do not join anyway. */
function otherStreams({ state }: App) {
  const { realm_default_streams } = state.realm.value;
  const defaults = new Set(realm_default_streams.map(({ stream_id }) => stream_id));
  return [...state.streams.value.values()].filter(
    ({ stream_id, invite_only }) => !invite_only && !defaults.has(stream_id),
  );
}

export function DefaultStreamsSection({ app }: SectionProps) {
  const [first, ...others] = streamChoices(otherStreams(app));
  return (
    <ListSection
      name="default-streams"
      rows={app.state.realm.value.realm_default_streams.map(({ stream_id, name }) => ({
        key: stream_id,
        title: `#${name}`,
        actions: [removal(() => app.request('DELETE /default_streams', { stream_id }))],
      }))}
      fields={first === undefined ? [] : [choice('stream_id', [first, ...others])]}
      add={(stream) => app.request('POST /default_streams', stream)}
      mayAdd={first !== undefined}
    />
  );
}

function streamGroupFields(app: App) {
  return [
    line('name', { required: true, maxLength: 60 }),
    area('description', 1024),
    several('stream_ids', streamChoices(otherStreams(app))),
  ];
}

function namesOf({ state }: App, ids: readonly number[]): readonly string[] {
  return ids.flatMap((id) => state.streams.value.get(id)?.name ?? []);
}

function streamGroupRow(
  app: App,
  { id: group_id, name, description, streams }: Registered['realm_default_stream_groups'][number],
): Row {
  const before = new Set(streams.map(({ stream_id }) => stream_id));
  const changeStreams = async (chosen: readonly number[]) => {
    const changes = differenceOf(before, chosen);
    for (const op of ['add', 'remove'] as const)
      if (changes[op].length > 0)
        await app.request('PATCH /default_stream_groups/{group_id}/streams', {
          group_id,
          op,
          stream_names: namesOf(app, changes[op]),
        });
  };
  const editor = () => (
    <SavedFields
      fields={streamGroupFields(app)}
      values={{ name, description, stream_ids: [...before] }}
      save={async (change) =>
        change.stream_ids === undefined
          ? app.request('PATCH /default_stream_groups/{group_id}', {
              group_id,
              new_group_name: change.name,
              new_description: change.description,
            })
          : changeStreams(change.stream_ids)
      }
    />
  );
  const remove = () => app.request('DELETE /default_stream_groups/{group_id}', { group_id });
  return {
    key: group_id,
    title: name,
    detail: [description, ...streams.map((stream) => `#${stream.name}`)].join(' '),
    edit: editor,
    actions: [removal(remove, t.warnings.removeStreamGroup)],
  };
}

export function StreamGroupsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="stream-groups"
      rows={app.state.realm.value.realm_default_stream_groups.map((group) =>
        streamGroupRow(app, group),
      )}
      fields={streamGroupFields(app)}
      add={({ name, description, stream_ids }) =>
        app.request('POST /default_stream_groups/create', {
          group_name: name,
          description,
          stream_names: namesOf(app, stream_ids),
        })
      }
    />
  );
}
