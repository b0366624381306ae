export * from './clock.ts';
export * from './fair-line.ts';
export * from './moved-clock.ts';
export * from './patience.ts';
export * from './system-clock.ts';
