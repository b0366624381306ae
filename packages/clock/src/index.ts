export { deadline, limitMs, pause, pauseShortly } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { FairLine, TurnMissed } from './fair-line.ts';
export type { LineBounds, MissedTurn, Wait } from './fair-line.ts';
export { MovedClock, WhollyMovedClock } from './moved-clock.ts';
export { Patience } from './patience.ts';
export { systemClock } from './system-clock.ts';
