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

/** Address of the value of a member of the object at `json`, the last one if it is repeated; 0: missing. */
export function jsonMember(json: usize, length: u32, name: usize, nameLength: u32): usize {
  const mark = arenaMark();
  let value: usize = 0;
  valueLength = 0;
  for (let found = jsonMemberFirst(json, length); found; found = jsonMemberNext()) {
    if (jsonMemberNameLength() !== nameLength || memory.compare(jsonMemberName(), name, nameLength) !== 0) continue;
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
