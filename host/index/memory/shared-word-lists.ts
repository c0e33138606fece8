import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { WORD_LISTS, type WordList } from '../../../bindings/engine/word-list-bits.js';
import { takeMissingWordLists, useWordList } from '../../../bindings/engine/word-lists.js';
import { type ArenaLayout, WORD_LIST_OFFSET, wordListPlaces } from './memories.js';
import { readWordList } from './word-lists.js';

/** States of a word list's place: not loaded, being written by a thread, ready. */
const ABSENT = 0;
const WRITING = 1;
const READY = 2;

/** Milliseconds to wait for another thread that writes a list. */
const WAIT_TIMEOUT = 2000;

/**
 * The word lists in the shared memories. Each memory has a place for every list, which the first thread that needs the list fills
 * for all; a list that no text needs takes no memory.
 */
export class SharedWordLists {
  readonly #layout: ArenaLayout;
  readonly #starts: number[];

  constructor(layout: ArenaLayout) {
    this.#layout = layout;
    this.#starts = wordListPlaces(layout).starts;
  }

  /** The lists that are ready in a memory. */
  readyIn(memory: WebAssembly.Memory): WordList[] {
    return WORD_LISTS.filter((list) => {
      const place = this.#place(memory, list);
      return place !== null && Atomics.load(place.state, 0) === READY;
    });
  }

  /** Lets a new instance use the lists that are ready in its memory. */
  attach(instance: EngineInstance): void {
    for (const list of this.readyIn(instance.memory)) {
      const { pointer, length } = this.#place(instance.memory, list) as Place;
      useWordList(instance, list, pointer, length);
    }
  }

  /** Provides an instance with the lists that it lacked. @returns true: texts tokenized without them must be tokenized again */
  complete(instance: EngineInstance): boolean {
    let given = false;
    for (const list of takeMissingWordLists(instance)) {
      const place = this.#place(instance.memory, list);
      if (!place) continue;
      this.#fill(list, place);
      useWordList(instance, list, place.pointer, place.length);
      given = true;
    }
    return given;
  }

  #place(memory: WebAssembly.Memory, list: WordList): Place | null {
    const number = WORD_LISTS.indexOf(list);
    const length = this.#layout.wordLists[number] ?? 0;
    if (length === 0) return null;
    const start = this.#starts[number] as number;
    const pointer = start + WORD_LIST_OFFSET;
    return {
      state: new Int32Array(memory.buffer, start, 1),
      bytes: new Uint8Array(memory.buffer, pointer, length),
      pointer,
      length,
    };
  }

  /** Loads a list into its place. If a thread ends while writing, another one writes the same bytes again. */
  #fill(list: WordList, { state, bytes }: Place): void {
    if (Atomics.compareExchange(state, 0, ABSENT, WRITING) === WRITING) Atomics.wait(state, 0, WRITING, WAIT_TIMEOUT);
    if (Atomics.load(state, 0) === READY) return;
    const source = readWordList(list);
    if (source?.length !== bytes.length) throw new Error(`the word list ${list} has been replaced while the server runs`);
    bytes.set(source);
    Atomics.store(state, 0, READY);
    Atomics.notify(state, 0);
  }
}

interface Place {
  state: Int32Array;
  bytes: Uint8Array;
  pointer: number;
  length: number;
}
