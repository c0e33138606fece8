/** The operands of the filter that is evaluated now. */
import { alloc } from '../runtime/arena';
import { FACET_ROOM, normalizeOperandInto } from '../text/facet';
import { MAX_FOLD_GROWTH } from '../text/tables';
import { FilterNode, FilterOperand, FilterPlan } from './plan';

/** FilterOperand[] with normalized texts, at addresses. */
let operands: usize = 0;

/** Reads the operands of a plan, with their texts normalized. */
export function readOperands(plan: FilterPlan): void {
  const size = <usize>plan.operandCount * offsetof<FilterOperand>();
  operands = alloc(size);
  memory.copy(operands, plan.address(plan.operands), size);
  for (let i: u32 = 0; i < plan.operandCount; i++) normalize(plan, operandAt(i));
}

export function operandAt(index: u32): FilterOperand {
  return changetype<FilterOperand>(operands + <usize>index * offsetof<FilterOperand>());
}

/** Normalizes the text of an operand like the values of columns. */
function normalize(plan: FilterPlan, operand: FilterOperand): void {
  const out = alloc(<usize>operand.length * MAX_FOLD_GROWTH + FACET_ROOM);
  operand.length = normalizeOperandInto(plan.address(operand.text), operand.length, out);
  operand.text = out;
}

export function numberOf(node: FilterNode, index: u32): f64 {
  return operandAt(node.first + index).number;
}
