/** What a mail says of the messages of one conversation that a person has not read. */
import { messageLink } from '@parley/markdown';
import { quote } from '../../mail/index.ts';
import type { Letter, Paragraph } from '../../mail/index.ts';
import { wordsOf } from '@parley/api/notification-rules';
import type { Realm } from '@parley/store';
import type { NotificationFacts } from '@parley/store/notifications';

/** The newest ones; earlier ones are counted. */
const messagesMax = 20;
const textMaxCharacters = 1_000;
const namesMax = 3;

function listNames(names: readonly string[]): Paragraph {
  const shown = names.slice(0, namesMax).flatMap((name, n) => [n === 0 ? '' : ', ', quote(name)]);
  return names.length > namesMax ? [...shown, ' and others'] : shown;
}

function subjectOf(
  facts: readonly NotificationFacts[],
  place: NotificationFacts['message']['place'],
): Paragraph {
  if (place.type === 'stream')
    return ['New messages in ', quote(place.streamName), ', topic ', quote(place.topic)];
  const names = [...new Set(facts.map(({ message }) => message.senderName))];
  return [...listNames(names), ' wrote to you'];
}

function countOf(count: number): string {
  return count === 1 ? 'one new message' : `${count} new messages`;
}

/** With names and words, where the person and the organization let mails show them. */
function showsContent({ recipient }: NotificationFacts, realm: Pick<Realm, 'settings'>): boolean {
  return (
    recipient.settings.message_content_in_email_notifications &&
    realm.settings.message_content_allowed_in_email_notifications
  );
}

/**
 * Writes the letter, the same for the same facts.
 *
 * @param facts at least one, all of one person and conversation, by ascending id
 * @param publicUrl without a slash at the end
 * @param isAnswerable whether answers to mails are posted. One without words and names is not answered: its reader does not know to whom
 */
export function missedLetter(
  facts: readonly [NotificationFacts, ...NotificationFacts[]],
  realm: Pick<Realm, 'name' | 'settings'>,
  publicUrl: string,
  isAnswerable: boolean,
): Letter {
  const [first] = facts;
  const { place } = first.message;
  const { settings } = first.recipient;
  const organization: Paragraph = settings.realm_name_in_notifications
    ? [quote(realm.name), ': ']
    : [];
  const why = 'You get this because you were away and had not read it.';
  const unanswerable = {
    ending: [why, ' An answer to this mail does not reach the conversation.'],
    unsubscribeUrl: `${publicUrl}/#settings/notifications`,
  } as const;
  const answerable = {
    ...unanswerable,
    ending: [why, ' An answer to this mail is posted in the conversation, in your name.'],
    isAnswerable: true,
  } as const;
  if (!showsContent(first, realm))
    return {
      subject: [...organization, 'New messages'],
      paragraphs: [['You have ', countOf(facts.length), ' in ', quote(realm.name), '.']],
      action: { label: 'Read it', url: publicUrl },
      ...unanswerable,
    };
  const shown = facts.slice(-messagesMax);
  const earlier = facts.length - shown.length;
  return {
    subject: [...organization, ...subjectOf(facts, place)],
    paragraphs: [
      ...(earlier > 0 ? [[`${countOf(earlier)} before these:`]] : []),
      ...shown.map(({ message }) => [
        quote(message.senderName),
        ': ',
        quote(wordsOf(message.renderedContent, textMaxCharacters), textMaxCharacters),
      ]),
    ],
    action: { label: 'Read and answer', url: messageLink(publicUrl, first.messageId, place) },
    ...(isAnswerable ? answerable : unanswerable),
  };
}
