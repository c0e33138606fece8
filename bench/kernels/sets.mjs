#!/usr/bin/env node
/**
 * How fast sets are combined: the engine's kernels against the same written plainly in JavaScript over typed arrays, on one thread.
 *
 *   node scripts/build.mjs && node bench/kernels/sets.mjs [engine.wasm]
 *
 * Both sides work on the same sets of a million documents; each figure is the best of several rounds in microseconds, and the
 * ratio says how many times the engine is faster.
 */
import fs from 'node:fs';
import { privateInstance } from '../../dist/bindings/engine/instance.js';

const DOCUMENTS = 1 << 20;
const ROUNDS = 30;

const file = process.argv[2] ?? 'dist/engine/peregrine.plain.wasm';
const engine = privateInstance(new WebAssembly.Module(fs.readFileSync(file)));

let state = 1;
function next(n) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % n;
}

/** Ascending members, each document with a chance of 1 in `spacing`. */
function members(spacing) {
  const list = [];
  for (let member = next(spacing); member < DOCUMENTS; member += 1 + next(2 * spacing - 1)) list.push(member);
  return Uint32Array.from(list);
}

function bitmapOf(list) {
  const bitmap = new Uint8Array(DOCUMENTS / 8);
  for (const member of list) bitmap[member >> 3] |= 1 << (member & 7);
  return bitmap;
}

const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function microseconds(job) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    job();
    best = Math.min(best, performance.now() - start);
  }
  return best * 1000;
}

const naive = {
  and(target, other) {
    for (let i = 0; i < target.length; i++) target[i] &= other[i];
  },
  count(bitmap) {
    let count = 0;
    for (let i = 0; i < bitmap.length; i++) for (let byte = bitmap[i]; byte; byte &= byte - 1) count++;
    return count;
  },
  slots(bitmap, out) {
    let count = 0;
    for (let i = 0; i < bitmap.length; i++)
      for (let bit = 0; bit < 8; bit++) if ((bitmap[i] >> bit) & 1) out[count++] = i * 8 + bit;
    return count;
  },
  intersect(left, right, out) {
    let [i, j, count] = [0, 0, 0];
    while (i < left.length && j < right.length) {
      if (left[i] === right[j]) {
        out[count++] = left[i++];
        j++;
      } else if (left[i] < right[j]) i++;
      else j++;
    }
    return count;
  },
};

function report(name, ours, theirs) {
  console.log(
    `${name.padEnd(44)} ${ours.toFixed(1).padStart(9)} µs ${theirs.toFixed(1).padStart(9)} µs   × ${(theirs / ours).toFixed(1)}`,
  );
}

console.log(`${''.padEnd(44)} ${'engine'.padStart(12)} ${'JavaScript'.padStart(12)}   ratio`);
engine.scoped(() => {
  const [left, right] = [members(3), members(5)];
  const [leftBits, rightBits] = [bitmapOf(left), bitmapOf(right)];
  const [leftAt, rightAt] = [engine.put(leftBits), engine.put(rightBits)];
  const outAt = engine.alloc(DOCUMENTS * 4);
  const out = new Uint32Array(DOCUMENTS);
  const size = leftBits.length;
  const target = leftBits.slice();
  const targetAt = engine.put(leftBits);
  const pairs = {
    'bitmap and': [() => engine.call('bitmapAnd', targetAt, rightAt, size), () => naive.and(target, rightBits)],
    'bitmap count': [() => engine.call('bitmapCount', leftAt, size), () => naive.count(leftBits)],
    'bitmap to slots': [() => engine.call('bitmapSlots', leftAt, size, outAt), () => naive.slots(leftBits, out)],
  };
  for (const [name, [ours, theirs]] of Object.entries(pairs)) report(name, microseconds(ours), microseconds(theirs));
  for (const [one, other] of [
    [3, 5],
    [50, 60],
    [2000, 20],
    [20_000, 10],
  ]) {
    const [a, b] = [members(one), members(other)];
    const [aAt, bAt] = [engine.put(bytes(a)), engine.put(bytes(b))];
    report(
      `intersect ${a.length} with ${b.length}`,
      microseconds(() => engine.call('arrayIntersect', aAt, a.length, bAt, b.length, outAt)),
      microseconds(() => naive.intersect(a, b, out)),
    );
  }
});
