/**
 * FacetValues in one block that may be copied into another memory: addresses count from its start.
 *
 *   | FacetValues | FacetNumber[] | FacetText[] | texts |
 */
import { alloc } from '../runtime/arena';
import { FacetNumber, FacetText, FacetValues, textAt } from './values';

@unmanaged
export class FacetBlock {
  at: usize;
  bytes: u32;
}

export function facetPack(values: FacetValues): FacetBlock {
  const numberBytes = <usize>values.numberCount * offsetof<FacetNumber>();
  const textBytes = <usize>values.textCount * offsetof<FacetText>();
  const head = (offsetof<FacetValues>() + 7) & ~7;
  let bytes = head + numberBytes + textBytes;
  for (let i: u32 = 0; i < values.textCount; i++) {
    const text = textAt(values.texts, i);
    bytes += text.length + text.originalLength + text.foldedLength;
  }
  const at = alloc(bytes);
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
  const block = changetype<FacetBlock>(alloc(offsetof<FacetBlock>()));
  block.at = at;
  block.bytes = <u32>bytes;
  return block;
}

/** The values of a block that was copied to an address: its offsets become addresses. */
export function facetUnpack(at: usize): FacetValues {
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
