/** `_rankingScore` and `_rankingScoreDetails` of a hit: what the rules said of it. */
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, QUOTE } from '../json/signs';
import {
  PlanRule,
  RULE_ATTRIBUTE_RANK,
  RULE_EXACT_ATTRIBUTE,
  RULE_EXACT_WORDS,
  RULE_FIELD,
  RULE_GEO,
  RULE_PIN,
  RULE_PROXIMITY,
  RULE_SIMILARITY,
  RULE_TYPO,
  RULE_WORD_POSITION,
  RULE_WORDS,
  Step,
  Steps,
  VALUE_NUMBER,
  VALUE_POINT,
  VALUE_TEXT,
} from '../plan/plan';
import { kindOf, ruleOf, scoreOf, stepOf } from '../rank/scores';
import { Output } from './output';

/** Ranks of the rule of exact attributes. */
const NO_EXACT_MATCH: u32 = 1;
const MATCHES_START: u32 = 2;

/** Bytes of a component of a vector. */
const COMPONENT_BYTES: usize = 4;

export function writeScore(steps: Steps, out: Output): void {
  out.ascii('"_rankingScore":');
  out.quantity(steps.score);
}

/**
 * One entry for each rule, or for two rules that are shown together.
 * @param vector address of the document's vector that is nearest to the target; 0: none
 */
export function writeScoreDetails(steps: Steps, vector: usize, out: Output): void {
  out.ascii('"_rankingScoreDetails":{');
  const start = out.length;
  let order: u32 = 0;
  for (let index: u32 = 0; index < steps.count; index = after(steps, index)) {
    if (!isRepeated(steps, index)) {
      if (out.length > start) out.byte(COMMA);
      writeLast(steps, index, order, vector, out);
    }
    order++;
  }
  out.byte(CLOSE_OBJECT);
}

/** The step of the next entry. */
function after(steps: Steps, index: u32): u32 {
  return index + (isJoined(steps, index) ? 2 : 1);
}

/** Whether a step is shown together with the next one. */
function isJoined(steps: Steps, index: u32): bool {
  if (index + 1 === steps.count) return false;
  const kind = kindOf(steps, index);
  const next = kindOf(steps, index + 1);
  if (kind === RULE_EXACT_ATTRIBUTE) return next === RULE_EXACT_WORDS;
  return kind === RULE_ATTRIBUTE_RANK && next === RULE_WORD_POSITION && ruleOf(steps, stepOf(steps, index)).isMerged !== 0;
}

/** Whether two steps have the same name: distances from one point, which a request may sort by several times. */
function isAlike(steps: Steps, one: u32, other: u32): bool {
  if (kindOf(steps, one) !== RULE_GEO || kindOf(steps, other) !== RULE_GEO) return false;
  const left = ruleOf(steps, stepOf(steps, one));
  const right = ruleOf(steps, stepOf(steps, other));
  return left.lat === right.lat && left.lng === right.lng && left.ascending === right.ascending;
}

function isRepeated(steps: Steps, index: u32): bool {
  for (let before: u32 = 0; before < index; before++) if (isAlike(steps, before, index)) return true;
  return false;
}

/** Writes the entry of a step or, of several with the same name, the last one. */
function writeLast(steps: Steps, index: u32, order: u32, vector: usize, out: Output): void {
  let last = index;
  let lastOrder = order;
  for (let at = after(steps, index); at < steps.count; at = after(steps, at)) {
    order++;
    if (!isAlike(steps, index, at)) continue;
    last = at;
    lastOrder = order;
  }
  writeEntry(steps, last, lastOrder, vector, out);
}

function writeEntry(steps: Steps, index: u32, order: u32, vector: usize, out: Output): void {
  const step = stepOf(steps, index);
  const score = <f64>step.rank / <f64>step.max;
  switch (kindOf(steps, index)) {
    case RULE_WORDS: {
      begin('"words"', order, out);
      count(',"matchingWords":', step.rank, out);
      count(',"maxMatchingWords":', step.max, out);
      end(score, out);
      break;
    }
    case RULE_TYPO: {
      begin('"typo"', order, out);
      count(',"typoCount":', step.max - step.rank, out);
      count(',"maxTypoCount":', step.max - 1, out);
      end(score, out);
      break;
    }
    case RULE_PROXIMITY: {
      begin('"proximity"', order, out);
      end(score, out);
      break;
    }
    case RULE_ATTRIBUTE_RANK:
    case RULE_WORD_POSITION: {
      writeAttribute(steps, index, order, score, out);
      break;
    }
    case RULE_EXACT_ATTRIBUTE: {
      writeExactness(steps, index, order, score, out);
      break;
    }
    case RULE_FIELD: {
      writeField(ruleOf(steps, step), steps.rules, step, order, out);
      break;
    }
    case RULE_GEO: {
      writeDistance(ruleOf(steps, step), steps.rules, step, order, out);
      break;
    }
    case RULE_SIMILARITY: {
      writeSimilarity(ruleOf(steps, step), steps.rules, step, order, vector, out);
      break;
    }
    case RULE_PIN: {
      begin('"pin"', order, out);
      count(',"position":', <u32>step.number, out);
      out.byte(CLOSE_OBJECT);
      break;
    }
    default: {
      begin('"skipped"', order, out);
      out.byte(CLOSE_OBJECT);
    }
  }
}

function begin(key: string, order: u32, out: Output): void {
  out.ascii(key);
  beginMembers(order, out);
}

function beginMembers(order: u32, out: Output): void {
  out.ascii(':{"order":');
  out.number(order);
}

function count(name: string, value: u32, out: Output): void {
  out.ascii(name);
  out.number(value);
}

function quantity(name: string, value: f64, out: Output): void {
  out.ascii(name);
  out.quantity(value);
}

function end(score: f64, out: Output): void {
  quantity(',"score":', score, out);
  out.byte(CLOSE_OBJECT);
}

function writeAttribute(steps: Steps, index: u32, order: u32, score: f64, out: Output): void {
  if (ruleOf(steps, stepOf(steps, index)).isMerged === 0) {
    begin(kindOf(steps, index) === RULE_ATTRIBUTE_RANK ? '"attributeRank"' : '"wordPosition"', order, out);
    end(score, out);
    return;
  }
  begin('"attribute"', order, out);
  quantity(',"attributeRankingOrderScore":', score, out);
  if (isJoined(steps, index)) {
    const next = stepOf(steps, index + 1);
    quantity(',"queryWordDistanceScore":', <f64>next.rank / <f64>next.max, out);
    end(scoreOf(steps, index, index + 2), out);
  } else end(score, out);
}

function writeExactness(steps: Steps, index: u32, order: u32, score: f64, out: Output): void {
  const rank = stepOf(steps, index).rank;
  begin('"exactness"', order, out);
  out.ascii(',"matchType":');
  out.ascii(rank === NO_EXACT_MATCH ? '"noExactMatch"' : rank === MATCHES_START ? '"matchesStart"' : '"exactMatch"');
  if (rank === NO_EXACT_MATCH && isJoined(steps, index)) {
    const words = stepOf(steps, index + 1);
    count(',"matchingWords":', words.rank - 1, out);
    count(',"maxMatchingWords":', words.max - 1, out);
    end(scoreOf(steps, index, index + 2), out);
  } else end(score, out);
}

/** Writes the name of a rule that sorts, with its direction. */
function beginSorting(rule: PlanRule, rules: usize, order: u32, out: Output): void {
  out.byte(QUOTE);
  out.escaped(rules + rule.name, rule.nameLength);
  out.ascii(rule.ascending ? ':asc"' : ':desc"');
  beginMembers(order, out);
  // It does not influence the total.
  out.ascii(',"score":1.0,"value":');
}

function writeField(rule: PlanRule, rules: usize, step: Step, order: u32, out: Output): void {
  if (rule.isHidden) {
    count('"<hidden-rule-', order, out);
    begin('>"', order, out);
    out.ascii(',"score":1.0,"value":"<hidden>"}');
    return;
  }
  beginSorting(rule, rules, order, out);
  if (step.valueKind === VALUE_NUMBER) out.shortest(step.number);
  else if (step.valueKind === VALUE_TEXT) {
    out.byte(QUOTE);
    out.escaped(step.text, step.textLength);
    out.byte(QUOTE);
  } else out.ascii('null');
  out.byte(CLOSE_OBJECT);
}

function writeDistance(rule: PlanRule, rules: usize, step: Step, order: u32, out: Output): void {
  beginSorting(rule, rules, order, out);
  if (step.valueKind !== VALUE_POINT) {
    out.ascii('null,"distance":null}');
    return;
  }
  out.ascii('{"lat":');
  out.shortest(step.lat);
  out.ascii(',"lng":');
  out.shortest(step.lng);
  quantity('},"distance":', step.number, out);
  out.byte(CLOSE_OBJECT);
}

function writeSimilarity(rule: PlanRule, rules: usize, step: Step, order: u32, vector: usize, out: Output): void {
  out.ascii('"vectorSort([');
  const target = rules + rule.name;
  for (let i: usize = 0; i < rule.nameLength; i += COMPONENT_BYTES) {
    if (i > 0) out.byte(COMMA);
    out.shortest(load<f32>(target + i));
  }
  begin('])"', order, out);
  quantity(',"score":', step.number, out);
  out.ascii(',"value":');
  if (vector === 0) out.ascii('null');
  else writeVector(vector, rule.nameLength, out);
  out.ascii(',"similarity":');
  if (step.valueKind === VALUE_NUMBER) out.quantity(step.number);
  else out.ascii('null');
  out.byte(CLOSE_OBJECT);
}

function writeVector(at: usize, bytes: usize, out: Output): void {
  out.byte(OPEN_ARRAY);
  for (let i: usize = 0; i < bytes; i += COMPONENT_BYTES) {
    if (i > 0) out.byte(COMMA);
    out.quantity(load<f32>(at + i));
  }
  out.byte(CLOSE_ARRAY);
}
