/** Sections about the streams of new people. */
import type { App } from '../../data/app.ts';
import {
  addDefaultStream,
  changeStreamGroup,
  changeStreamsOfGroup,
  createStreamGroup,
  deleteStreamGroup,
  removeDefaultStream,
} from '../../data/organization-actions.ts';
import type { Registered } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { removal } from './action-button.tsx';
import { area, choice, line, several, streamChoices } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import type { SectionProps } from './section.ts';

/** Public streams that new people do not join anyway. */
function otherStreams({ state }: App) {
  const defaults = new Set(
    state.rest.value.realm_default_streams.map(({ stream_id }) => stream_id),
  );
  return [...state.streams.value.values()].filter(
    ({ stream_id, invite_only }) => !invite_only && !defaults.has(stream_id),
  );
}

export function DefaultStreamsSection({ app }: SectionProps) {
  const [first, ...others] = streamChoices(otherStreams(app));
  return (
    <ListSection
      name="default-streams"
      rows={app.state.rest.value.realm_default_streams.map(({ stream_id, name }) => ({
        key: stream_id,
        title: `#${name}`,
        actions: [removal(async () => removeDefaultStream(app, { stream_id }))],
      }))}
      fields={first === undefined ? [] : [choice('stream_id', [first, ...others])]}
      add={async (stream) => addDefaultStream(app, stream)}
      mayAdd={first !== undefined}
    />
  );
}

function groupFields(app: App) {
  return [
    line('name', { required: true, maxLength: 60 }),
    area('description', 1024),
    several('stream_ids', streamChoices(otherStreams(app))),
  ];
}

function namesOf({ state }: App, ids: Iterable<number>): readonly string[] {
  return [...ids].flatMap((id) => state.streams.value.get(id)?.name ?? []);
}

type StreamGroup = Registered['realm_default_stream_groups'][number];

function GroupEditor({ app, group }: { readonly app: App; readonly group: StreamGroup }) {
  const { id: group_id, name, description } = group;
  const before = new Set(group.streams.map(({ stream_id }) => stream_id));
  const changeStreams = async (ids: readonly number[]): Promise<void> => {
    const after = new Set(ids);
    for (const [op, changed] of [
      ['add', after.difference(before)],
      ['remove', before.difference(after)],
    ] as const)
      if (changed.size > 0)
        await changeStreamsOfGroup(app, { group_id, op, stream_names: namesOf(app, changed) });
  };
  return (
    <SavedFields
      fields={groupFields(app)}
      values={{ name, description, stream_ids: [...before] }}
      save={async ({ stream_ids, ...change }) =>
        stream_ids === undefined
          ? changeStreamGroup(app, {
              group_id,
              new_group_name: change.name,
              new_description: change.description,
            })
          : changeStreams(stream_ids)
      }
    />
  );
}

export function StreamGroupsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="stream-groups"
      rows={app.state.rest.value.realm_default_stream_groups.map((group) => ({
        key: group.id,
        title: group.name,
        detail: [group.description, ...group.streams.map(({ name }) => `#${name}`)].join(' '),
        edit: () => <GroupEditor app={app} group={group} />,
        actions: [
          removal(
            async () => deleteStreamGroup(app, { group_id: group.id }),
            t.warnings.removeStreamGroup,
          ),
        ],
      }))}
      fields={groupFields(app)}
      add={async ({ name, description, stream_ids }) =>
        createStreamGroup(app, {
          group_name: name,
          description,
          stream_names: namesOf(app, stream_ids),
        })
      }
    />
  );
}
