/**
 * Unicode emoji by code points (lower-case hex, joined with `-`, without variation selectors): the
 * canonical name first, then its aliases (reference facts, markdown 9).
 */
const table: readonly (readonly [code: string, names: string])[] = [
  ['263a', 'smile relaxed'],
  ['1f642', 'slight_smile'],
  ['1f603', 'smiley'],
  ['1f600', 'grinning happy'],
  ['1f604', 'big_smile'],
  ['1f602', 'joy tears laughter_tears'],
  ['1f606', 'laughing lol'],
  ['1f609', 'wink'],
  ['1f60a', 'blush'],
  ['1f60d', 'heart_eyes in_love'],
  ['1f60e', 'sunglasses'],
  ['1f914', 'thinking'],
  ['1f610', 'neutral'],
  ['1f611', 'expressionless'],
  ['1f615', 'oh_no half_frown concerned confused'],
  ['1f641', 'frown slight_frown'],
  ['2639', 'sad big_frown'],
  ['1f622', 'cry'],
  ['1f62d', 'sob'],
  ['1f620', 'angry'],
  ['1f621', 'rage mad grumpy very_angry'],
  ['1f44d', '+1 thumbs_up like'],
  ['1f44e', '-1 thumbs_down'],
  ['1f44f', 'clap applause'],
  ['1f44b', 'wave hello hi'],
  ['1f64f', 'pray welcome thank_you namaste'],
  ['1f4aa', 'muscle'],
  ['1f44c', 'ok got_it'],
  ['1f64c', 'raised_hands praise'],
  ['270c', 'peace_sign victory'],
  ['2764', 'heart love love_you'],
  ['1f494', 'broken_heart heartache'],
  ['1f917', 'hug arms_open'],
  ['1f389', 'tada congratulations'],
  ['1f525', 'fire lit hot flame'],
  ['2728', 'sparkles glamour'],
  ['1f4af', '100 hundred'],
  ['1f680', 'rocket'],
  ['2b50', 'star'],
  ['2705', 'check all_good approved'],
  ['2714', 'check_mark'],
  ['274c', 'cross_mark incorrect wrong'],
  ['26a0', 'warning caution danger'],
  ['2753', 'question'],
  ['2757', 'exclamation'],
  ['1f440', 'eyes looking'],
  ['1f4a9', 'poop pile_of_poo'],
  ['1f916', 'robot'],
  ['1f419', 'octopus'],
  ['1f408', 'cat meow'],
  ['1f415', 'dog woof'],
  ['2615', 'coffee'],
  ['1f37a', 'beer'],
  ['1f355', 'pizza'],
  ['1f937', 'shrug'],
  ['1f926', 'face_palm'],
  ['1f6a7', 'work_in_progress construction_zone'],
  ['1f41b', 'bug caterpillar'],
  ['1f4a1', 'light_bulb bulb idea'],
  ['1f4dd', 'memo note'],
  ['0030-20e3', 'zero'],
  ['0031-20e3', 'one'],
  ['0032-20e3', 'two'],
  ['0033-20e3', 'three'],
  ['0034-20e3', 'four'],
  ['0035-20e3', 'five'],
  ['0036-20e3', 'six'],
  ['0037-20e3', 'seven'],
  ['0038-20e3', 'eight'],
  ['0039-20e3', 'nine'],
];

const codesByName = new Map<string, string>();
const namesByCode = new Map<string, string>();
for (const [code, names] of table) {
  for (const name of names.split(' ')) {
    codesByName.set(name, code);
    if (!namesByCode.has(code)) namesByCode.set(code, name);
  }
}

/** The code points of a Unicode emoji name or alias; case-sensitive. */
export function findEmojiCode(name: string): string | undefined {
  return codesByName.get(name);
}

/** The canonical name of an emoji. */
export function findEmojiName(code: string): string | undefined {
  return namesByCode.get(code);
}
