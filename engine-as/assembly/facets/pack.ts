/**
 * FacetValues in one block that may be copied into another memory: addresses count from its start.
 *
 *   | FacetValues | FacetNumber[] | FacetText[] | texts |
 */
import { Buffer, bufferRoom } from '../runtime/buffer';
import { FacetNumber, FacetText, FacetValues, textAt } from './values';

/** Appends the block of values to a Buffer. */
export function packValues(values: FacetValues, out: usize): void {
  const numberBytes = <usize>values.numberCount * offsetof<FacetNumber>();
  const textBytes = <usize>values.textCount * offsetof<FacetText>();
  const head = (offsetof<FacetValues>() + 7) & ~7;
  let bytes = head + numberBytes + textBytes;
  for (let i: u32 = 0; i < values.textCount; i++) {
    const text = textAt(values.texts, i);
    bytes += text.length + text.originalLength + text.foldedLength;
  }
  const at = bufferRoom(out, bytes);
  changetype<Buffer>(out).length += bytes;
  memory.copy(at, changetype<usize>(values), offsetof<FacetValues>());
  memory.copy(at + head, values.numbers, numberBytes);
  memory.copy(at + head + numberBytes, values.texts, textBytes);
  const packed = changetype<FacetValues>(at);
  packed.numbers = head;
  packed.texts = head + numberBytes;
  let end = head + numberBytes + textBytes;
  for (let i: u32 = 0; i < packed.textCount; i++) {
    const text = textAt(at + packed.texts, i);
    memory.copy(at + end, text.text, text.length);
    text.text = end;
    end += text.length;
    memory.copy(at + end, text.original, text.originalLength);
    text.original = end;
    end += text.originalLength;
    memory.copy(at + end, text.folded, text.foldedLength);
    text.folded = end;
    end += text.foldedLength;
  }
}

/** Converts the offsets of a block that was copied to an address into addresses. */
export function unpackValues(at: usize): FacetValues {
  const values = changetype<FacetValues>(at);
  values.numbers += at;
  values.texts += at;
  for (let i: u32 = 0; i < values.textCount; i++) {
    const text = textAt(values.texts, i);
    text.text += at;
    text.original += at;
    text.folded += at;
  }
  return values;
}
