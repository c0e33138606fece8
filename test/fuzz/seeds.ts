import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';

/** Draws that are thrown away: the first ones of neighbouring seeds resemble each other. */
const DISCARDED = 8;
/** 2^32 divided by the golden ratio; odd, so that multiplication by it is a bijection. */
const SPREAD = 0x9e3779b1;

/** The numbers of one case of a run: case by case the same, whatever was drawn before. */
export function caseRandom(seed: number, number: number): SeededRandom {
  const random = seededRandom(Math.imul(seed + number, SPREAD) ^ (seed >>> 3));
  for (let i = 0; i < DISCARDED; i++) random.int(2);
  return random;
}
