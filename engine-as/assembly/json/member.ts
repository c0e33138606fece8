/** One member of an object (valid text), by its name. */
import { arenaMark, arenaReset } from '../runtime/arena';
import {
  jsonMemberFirst,
  jsonMemberName,
  jsonMemberNameLength,
  jsonMemberNext,
  jsonMemberValue,
  jsonMemberValueLength,
} from './members';

let valueLength: u32 = 0;

/** Address of the value of a member of the object at `json`, the last one if it is repeated; 0: missing. `name`: ASCII. */
export function jsonMember(json: usize, length: u32, name: string): usize {
  const mark = arenaMark();
  let value: usize = 0;
  valueLength = 0;
  for (let found = jsonMemberFirst(json, length); found; found = jsonMemberNext()) {
    if (!isAscii(jsonMemberName(), jsonMemberNameLength(), name)) continue;
    value = jsonMemberValue();
    valueLength = jsonMemberValueLength();
  }
  arenaReset(mark);
  return value;
}

/** Length of the value that {@link jsonMember} found last. */
export function jsonMemberLength(): u32 {
  return valueLength;
}

/** Whether a UTF-8 text is an ASCII string. */
export function isAscii(text: usize, length: u32, ascii: string): bool {
  if (length !== <u32>ascii.length) return false;
  for (let i: u32 = 0; i < length; i++) if (<i32>load<u8>(text + i) !== ascii.charCodeAt(i)) return false;
  return true;
}
