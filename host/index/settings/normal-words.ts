import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { Tokenizer } from '../../../bindings/engine/tokenizer.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import { sortedSet } from './settings-kinds.js';

/** Settings with the words that take no typos as searches compare them: the normal forms of an entry's tokens, joined again. */
export function withNormalWords(instance: EngineInstance, settings: IndexSettings): IndexSettings {
  const { typoTolerance } = settings;
  if (typoTolerance.disableOnWords.length === 0) return settings;
  // how an entry is cut does not matter, for its tokens are joined
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
