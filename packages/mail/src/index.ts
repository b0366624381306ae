export { isGenuine, makeAnswerAddress, parseAnswerAddress } from './answer-address.ts';
export type { AnswerSubject, AnswerToken, AnswererCredentials } from './answer-address.ts';
export { quote, writeLetter } from './letter.ts';
export type { Letter, Paragraph, Words, WrittenLetter } from './letter.ts';
export { MailNotSent, MailRefused } from './mail-faults.ts';
export { openMailTransport } from './mail-transport.ts';
export type { Mail, MailTransport } from './mail.ts';
