export * from './answer-address.ts';
export * from './letter.ts';
export * from './mail-faults.ts';
export * from './mail-transport.ts';
export * from './mail.ts';
