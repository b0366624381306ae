/** The sounds of notifications, made by the browser: short tones that fade. */

/** Frequencies in hertz, one after the other, by the names of the setting `notification_sound`. */
const sounds: Readonly<Record<string, readonly number[]>> = {
  zulip: [659, 880],
  ding: [1047],
};
const toneSecs = 0.14;
const fadeSecs = 0.35;
const loudness = 0.12;

let context: AudioContext | undefined;

/**
 * Plays the sound of a notification. Browsers play none before the person has done something in the page, and all that wait for it at once then.
 *
 * @param name as in the setting `notification_sound`; an unknown one sounds like the first
 */
export async function playSound(name: string): Promise<void> {
  if (!navigator.userActivation.hasBeenActive) return;
  context ??= new AudioContext();
  if (context.state === 'suspended') await context.resume();
  for (const [index, frequency] of (sounds[name] ?? sounds['zulip'] ?? []).entries()) {
    const startsAt = context.currentTime + index * toneSecs;
    const gain = new GainNode(context, { gain: loudness });
    gain.gain.setValueAtTime(loudness, startsAt);
    gain.gain.exponentialRampToValueAtTime(0.001, startsAt + fadeSecs);
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain).connect(context.destination);
    tone.start(startsAt);
    tone.stop(startsAt + fadeSecs);
  }
}
