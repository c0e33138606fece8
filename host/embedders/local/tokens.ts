/** What is used of the package of tokenizers. */
export interface Tokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
}

export interface TokenizerPackage {
  Tokenizer: new (json: object, config: object) => Tokenizer;
}

/** What of a tokenizer.json says whether texts may be cut. */
export interface TokenizerJson {
  normalizer: Step | null;
  pre_tokenizer: Step | null;
  model: { type?: string; vocab: Record<string, number>; unk_token?: string | null };
  added_tokens?: { content: string }[];
}

interface Step {
  type: string;
  normalizers?: Step[];
  prepend?: string;
  content?: string;
  pattern?: { String?: string };
}

/** Stands for a blank in the tokens of a family of tokenizers. */
const BLANK = '▁';
/** Words whose tokens are kept, and the characters of the longest. */
const KEPT = 300_000;
const LONGEST_KEPT = 64;

/** Cuts a text into pieces whose tokens, one after the other, are those of the text. */
type Cut = (text: string) => string[];

/**
 * The tokens of texts, without those that mark their ends. Where the tokenizer treats words one by one, the tokens of those met before
 * are kept: most words of a text have been met, and a tokenizer is slower than all that follows it.
 */
export class WordTokens {
  readonly #cut: Cut | null;
  readonly #special: RegExp | null;
  readonly #kept = new Map<string, readonly number[]>();

  constructor(
    private readonly tokenizer: Tokenizer,
    json: TokenizerJson,
  ) {
    this.#cut = cutOf(json);
    const special = (json.added_tokens ?? []).map(({ content }) => content.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    this.#special = special.length > 0 ? new RegExp(special.join('|'), 'i') : null;
  }

  of(text: string): readonly number[] {
    if (!this.#cut || this.#special?.test(text)) return this.#encode(text);
    const ids: number[] = [];
    for (const piece of this.#cut(text)) {
      let tokens = this.#kept.get(piece);
      if (!tokens) {
        tokens = this.#encode(piece);
        if (this.#kept.size >= KEPT) this.#kept.clear();
        if (piece.length <= LONGEST_KEPT) this.#kept.set(piece, tokens);
      }
      for (const id of tokens) ids.push(id);
    }
    return ids;
  }

  #encode(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }
}

function cutOf({ normalizer, pre_tokenizer, model }: TokenizerJson): Cut | null {
  if (model.type === 'WordPiece' && pre_tokenizer?.type === 'BertPreTokenizer') {
    const steps = normalizer?.type === 'Sequence' ? (normalizer.normalizers ?? []) : normalizer ? [normalizer] : [];
    return steps.every(({ type }) => type === 'BertNormalizer' || type === 'Lowercase') ? words : null;
  }
  if (model.type === 'BPE' && pre_tokenizer === null && marksBlanks(normalizer)) {
    const crossing = Object.keys(model.vocab).some((token) => /[^▁]▁/.test(token));
    return crossing ? null : wordsAfterBlanks;
  }
  return null;
}

/** Does it put a mark before the text, and one in the place of each blank? */
function marksBlanks(normalizer: Step | null): boolean {
  const [first, second, ...others] = normalizer?.normalizers ?? [];
  return (
    others.length === 0 &&
    first?.type === 'Prepend' &&
    first.prepend === BLANK &&
    second?.type === 'Replace' &&
    second.pattern?.String === ' ' &&
    second.content === BLANK
  );
}

/** White space belongs to no token. */
function words(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

/**
 * Each word with the blanks before it but one, for that one is what the tokenizer puts there. A text that ends with blanks stays whole:
 * a single one at the end would be a piece that cannot be written so.
 */
function wordsAfterBlanks(text: string): string[] {
  if (text.endsWith(' ') || text.includes(BLANK)) return [text];
  const pieces = text.match(/ *[^ ]+/g) ?? [];
  return pieces.map((piece, place) => (place === 0 ? piece : piece.slice(1)));
}
