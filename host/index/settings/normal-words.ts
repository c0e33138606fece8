import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { Tokenizer } from '../../../bindings/engine/tokenizer.js';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import type { IndexSettings } from '../../../bindings/index-types.js';

/** Settings with `disableOnWords` normalised as searches compare words: the normalised tokens of an entry, joined. */
export function withNormalWords(instance: EngineInstance, settings: IndexSettings): IndexSettings {
  const { typoTolerance } = settings;
  if (typoTolerance.disableOnWords.length === 0) return settings;
  // Segmentation does not matter, because the tokens are joined again.
  const tokenizer = new Tokenizer(instance);
  const normal = (entry: string) => {
    const lemmas = tokenizer.tokenize(entry).map(({ lemma }) => lemma);
    return lemmas.join('');
  };
  return {
    ...settings,
    typoTolerance: { ...typoTolerance, disableOnWords: sortedSet(typoTolerance.disableOnWords.map(normal)) },
  };
}
