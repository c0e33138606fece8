import type { EngineTokens, WordRules } from '../../../bindings/engine/static-model.js';

/** The part of the tokenizer package that is used. */
export interface Tokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
}

export interface TokenizerPackage {
  Tokenizer: new (json: object, config: object) => Tokenizer;
}

/** The members of tokenizer.json that decide whether the engine can tokenize texts itself. */
export interface TokenizerJson {
  normalizer: Step | null;
  pre_tokenizer: Step | null;
  model: TokenizerModel;
  added_tokens?: { content: string }[];
}

interface TokenizerModel {
  type?: string;
  vocab: Record<string, number>;
  unk_token?: string | null;
  merges?: readonly (string | readonly [string, string])[];
  continuing_subword_prefix?: string | null;
  continuing_subword_suffix?: string | null;
  end_of_word_suffix?: string | null;
  max_input_chars_per_word?: number;
  byte_fallback?: boolean;
  ignore_merges?: boolean;
  dropout?: number | null;
}

interface Step {
  type: string;
  normalizers?: Step[];
  lowercase?: boolean;
  prepend?: string;
  content?: string;
  pattern?: { String?: string };
}

/** The members of tokenizer_config.json that decide it. */
export interface TokenizerConfig {
  remove_space?: boolean;
  do_lowercase_and_remove_accent?: boolean;
}

/** Replaces blanks in the tokens of SentencePiece tokenizers. */
const MARK = '▁';
const MAX_WORD_LENGTH = 100;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The rules for the engine; null when only the tokenizer package implements this tokenizer. */
export function engineTokens(json: TokenizerJson, config: TokenizerConfig): EngineTokens | null {
  if (config.remove_space || config.do_lowercase_and_remove_accent) return null;
  const special = (json.added_tokens ?? []).map(({ content }) => content.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const hasSpecial = special.length > 0 ? new RegExp(special.join('|'), 'i') : null;
  // Texts with lone surrogates have no UTF-8 form.
  const isOdd = (text: string) => hasSpecial?.test(text) || LONE_SURROGATE.test(text);
  const pieces = wordPieceRules(json);
  if (pieces) return { rules: pieces, textFor: (text) => (isOdd(text) ? null : text), wordFor: (word) => word };
  const rules = mergeRules(json);
  if (!rules) return null;
  return {
    rules,
    textFor: (text) => (isOdd(text) ? null : text === '' ? '' : ` ${text.replaceAll(MARK, ' ')}`),
    // The tokenizer puts the mark before every word.
    wordFor: (word) => word.slice(1),
  };
}

const NO_RULES = {
  merges: new Uint32Array(),
  byteTokens: new Uint32Array(),
  prefix: '',
  unknown: 0,
  longestWord: 0,
  lowercase: false,
};

/** WordPiece with the rules of BERT. */
function wordPieceRules({ normalizer, pre_tokenizer, model }: TokenizerJson): WordRules | null {
  if (model.type !== 'WordPiece' || pre_tokenizer?.type !== 'BertPreTokenizer') return null;
  const steps = normalizer?.type === 'Sequence' ? (normalizer.normalizers ?? []) : normalizer ? [normalizer] : [];
  if (!steps.every(({ type }) => type === 'BertNormalizer' || type === 'Lowercase')) return null;
  const ids = new Map(Object.entries(model.vocab));
  const unknown = ids.get(model.unk_token ?? '');
  const prefix = model.continuing_subword_prefix ?? '';
  if (unknown === undefined || /[^!-~]/.test(prefix)) return null;
  return {
    ...NO_RULES,
    tokenizer: 'word piece',
    // All others are left to the tokenizer package.
    spellings: [...ids].filter(([spelling]) => /^[!-~]+$/.test(spelling)),
    prefix,
    unknown,
    longestWord: model.max_input_chars_per_word ?? MAX_WORD_LENGTH,
    lowercase: steps.some(({ type, lowercase }) => type === 'Lowercase' || lowercase === true),
  };
}

/** Byte pair encoding with marks in place of blanks, and a token for every byte. */
function mergeRules({ normalizer, pre_tokenizer, model }: TokenizerJson): WordRules | null {
  if (model.type !== 'BPE' || pre_tokenizer !== null || !marksBlanks(normalizer)) return null;
  const { byte_fallback, ignore_merges, dropout, end_of_word_suffix, continuing_subword_suffix, merges = [] } = model;
  if (!byte_fallback || ignore_merges || dropout || end_of_word_suffix || continuing_subword_suffix) return null;
  const ids = new Map(Object.entries(model.vocab));
  // A token that continues after a mark would span words, and a blank must stand for the mark alone.
  if (new Set(ids.values()).size < ids.size || [...ids.keys()].some((token) => /[^▁]▁| /.test(token))) return null;
  const byteTokens = Array.from({ length: 256 }, (_, byte) => ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`));
  const triples = merges.flatMap((merge) => {
    const [left = '', right = ''] = typeof merge === 'string' ? merge.split(' ', 2) : merge;
    return [ids.get(left), ids.get(right), ids.get(left + right)];
  });
  if ([...byteTokens, ...triples].includes(undefined)) return null;
  return {
    ...NO_RULES,
    tokenizer: 'byte pair',
    spellings: [...ids].map(([spelling, id]) => [spelling.replaceAll(MARK, ' '), id] as const),
    merges: Uint32Array.from(triples as number[]),
    byteTokens: Uint32Array.from(byteTokens as number[]),
  };
}

/** Whether it puts a mark before the text, and one in place of each blank. */
function marksBlanks(normalizer: Step | null): boolean {
  const [first, second, ...others] = normalizer?.normalizers ?? [];
  return (
    others.length === 0 &&
    first?.type === 'Prepend' &&
    first.prepend === MARK &&
    second?.type === 'Replace' &&
    second.pattern?.String === ' ' &&
    second.content === MARK
  );
}
