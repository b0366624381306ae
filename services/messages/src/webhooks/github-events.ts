/** The parts of GitHub's payloads that its events share (reference facts, people 17.2). */
import type { DecodedParameters } from '@parley/api';
import type { Value } from '@parley/api/schema';
import type { githubWebhook } from '@parley/api/webhooks';

import { repositoryTopics } from './git-wording.ts';
import type { Readers, WebhookMessage } from './integration.ts';

/** The declared payload of an event. */
export type GithubPayload<Event extends keyof typeof githubWebhook.payloads> = Value<
  (typeof githubWebhook.payloads)[Event]
>;

export type GithubReaders = Readers<
  typeof githubWebhook.payloads,
  DecodedParameters<typeof githubWebhook.parameters>
>;

export type PullRequest = {
  readonly number: number;
  readonly title: string;
  readonly html_url: string;
};

export function numberedItem(
  kind: 'PR' | 'Issue',
  { number, title, html_url: url }: PullRequest,
): { readonly kind: 'PR' | 'Issue'; number: number; title: string; url: string } {
  return { kind, number, title, url };
}

/** A message in the topic of a pull request or issue. */
export function inTopicOf(
  { name }: { readonly name: string },
  item: { readonly kind: 'PR' | 'Issue'; readonly number: number; readonly title: string },
  content: string,
): readonly WebhookMessage[] {
  return [{ topic: repositoryTopics.item(name, item), content }];
}

/** A message in the topic of a repository. */
export function inRepository(
  { name }: { readonly name: string },
  content: string,
  about?: string,
): readonly WebhookMessage[] {
  return [{ topic: about === undefined ? name : `${name} / ${about}`, content }];
}
