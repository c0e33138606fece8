/**
 * Divides documents into the longest pieces. Several documents take turns, a few bytes each, so that their waits for memory overlap; a step has
 * no branch that depends on the text, so nothing is predicted wrong.
 */
import { alloc } from '../runtime/arena';
import { END, entryBack, entryBase, entryCode, entryParent, ROOT } from './automaton';
import { CODE_BYTES } from './decode';

/** Number of documents that take turns. */
const DIVISIONS: u32 = 12;
/** Steps of a document before it is the next one's turn. */
const TURN_STEPS: u32 = 2;

/** A document that is being divided. */
@unmanaged
class Division {
  at: usize;
  end: usize;
  to: usize;
  place: u32;
  number: u32;
  entry: u64;
}

let divisions: usize = 0;
let automaton: usize = 0;
let text: usize = 0;
let ends: usize = 0;
let codes: usize = 0;
let codeEnds: usize = 0;
let next: u32 = 0;
let end: u32 = 0;

export function divideBegin(): void {
  divisions = alloc(DIVISIONS * offsetof<Division>());
}

/**
 * Divides the documents [first, last) of those that stand one after the other from `from` on, with their ends in `fromEnds` (u32[]). The codes of a
 * document begin at twice its distance from the first one in `out`, and end at the address in `outEnds` (usize[]).
 */
export function divide(states: usize, from: usize, fromEnds: usize, first: u32, last: u32, out: usize, outEnds: usize): void {
  automaton = states;
  text = from;
  ends = fromEnds;
  next = first;
  end = last;
  codes = out - <usize>startOf(first) * CODE_BYTES;
  codeEnds = outEnds - <usize>first * sizeof<usize>();
  let running: u32 = 0;
  while (running < DIVISIONS && enter(divisionAt(running))) running++;
  while (running > 0) {
    for (let i: u32 = 0; i < running; i++) {
      const division = divisionAt(i);
      if (!advance(division)) continue;
      store<usize>(codeEnds + <usize>division.number * sizeof<usize>(), division.to);
      if (!enter(division))
        memory.copy(changetype<usize>(division), changetype<usize>(divisionAt(--running)), offsetof<Division>());
    }
  }
}

function divisionAt(index: u32): Division {
  return changetype<Division>(divisions + <usize>index * offsetof<Division>());
}

/** Where a document starts; also of the one after the last one. */
function startOf(document: u32): u32 {
  return document === 0 ? 0 : load<u32>(ends + ((<usize>document) << 2) - 4);
}

/** Begins the next document that is not empty; false: there is none. */
function enter(division: Division): bool {
  while (next < end) {
    const start = startOf(next);
    const stop = startOf(next + 1);
    division.number = next++;
    division.at = text + start;
    division.end = text + stop;
    division.to = codes + <usize>start * CODE_BYTES;
    division.place = ROOT;
    division.entry = load<u64>(automaton);
    if (start < stop) return true;
    store<usize>(codeEnds + <usize>division.number * sizeof<usize>(), division.to);
  }
  return false;
}

/** Takes a few steps; true: the document is at its end. */
function advance(division: Division): bool {
  const states = automaton;
  const root = load<u64>(states);
  const stop = division.end;
  let at = division.at;
  let to = division.to;
  let place = division.place;
  let entry = division.entry;
  for (let step: u32 = 0; step < TURN_STEPS; step++) {
    const byte = select<u32>(load<u8>(at), END, at < stop);
    const below = entryBase(entry) + byte;
    const child = load<u64>(states + ((<usize>below) << 3));
    const follows = entryParent(child) === place;
    store<u16>(to, entryCode(entry));
    const after = at - entryBack(entry);
    if (<u32>(after === stop) & <u32>!follows) {
      division.to = to + CODE_BYTES;
      return true;
    }
    at = select<usize>(at + 1, after, follows);
    to = select<usize>(to, to + CODE_BYTES, follows);
    place = select<u32>(below, ROOT, follows);
    entry = select<u64>(child, root, follows);
  }
  division.at = at;
  division.to = to;
  division.place = place;
  division.entry = entry;
  return false;
}
