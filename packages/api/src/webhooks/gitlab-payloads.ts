/** The used parts of GitLab's payloads, by the event in the header (reference facts, people 17.3). */
import { integer, listOf, nullable, optional, text, textOrNull } from '../declare/schema.ts';
import { record } from './payload-schema.ts';

const named = record({ name: text });

const assignable = optional({
  assignee: nullable(record(optional({ name: text, username: text }))),
  assignees: listOf(record({ name: text, ...optional({ username: text }) })),
});

const issue = record({
  user: named,
  project: named,
  object_attributes: record({
    iid: integer,
    title: text,
    url: text,
    ...optional({ action: text, description: textOrNull }),
  }),
  ...assignable,
});

const build = record({
  repository: named,
  ref: text,
  build_name: text,
  build_stage: text,
  build_status: text,
});

export const gitlabPayloads = {
  'Push Hook': record({
    user_name: text,
    project: named,
    repository: record({ homepage: text }),
    ref: text,
    before: text,
    after: text,
    commits: listOf(record({ id: text, url: text, message: text, author: named })),
  }),
  'Tag Push Hook': record({
    user_name: text,
    project: named,
    ref: text,
    ...optional({ checkout_sha: textOrNull }),
  }),
  'Issue Hook': issue,
  'Confidential Issue Hook': issue,
  'Merge Request Hook': record({
    user: named,
    project: named,
    object_attributes: record({
      iid: integer,
      title: text,
      url: text,
      source_branch: text,
      target_branch: text,
      ...optional({ action: text, description: textOrNull, oldrev: textOrNull }),
    }),
    ...assignable,
  }),
  /** For one of the kinds of `gitlabNotePayloads`. */
  'Note Hook': record({ object_attributes: record({ noteable_type: text }) }),
  'Wiki Page Hook': record({
    user: named,
    project: named,
    object_attributes: record({ title: text, url: text, action: text }),
  }),
  'Job Hook': build,
  'Build Hook': build,
  'Pipeline Hook': record({
    project: named,
    object_attributes: record({ ref: text, status: text }),
    builds: listOf(record({ name: text, status: text })),
  }),
  'Test Hook': record({ project: named }),
};

const noted = {
  user: named,
  project: record({ name: text, web_url: text }),
  object_attributes: record({ note: text, url: text }),
};
const numbered = record({ iid: integer, title: text });

/** The used parts of a comment, by its `noteable_type`. */
export const gitlabNotePayloads = {
  Commit: record({ ...noted, commit: record({ id: text, url: text }) }),
  MergeRequest: record({ ...noted, merge_request: numbered }),
  Issue: record({ ...noted, issue: numbered }),
  Snippet: record({ ...noted, snippet: record({ id: integer, title: text }) }),
};
