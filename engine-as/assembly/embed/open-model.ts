import { alloc, allocZeroed } from '../runtime/arena';
import { cachedWordsCreate } from './cached-words';
import { MAX_WORD_BYTES, mergesCreate, PART_BYTES } from './merges';
import { StaticModel, TOKENIZER_BYTE_PAIR } from './model';
import { vocabularyCreate } from './vocabulary';

/** Builds the tables of a model, in scratch memory that must not be released. */
export function staticModelOpen(model: StaticModel): void {
  if (model.tokenizer === 0) return;
  model.vocabulary = vocabularyCreate(model.spellings, model.spellingStarts, model.spellingIds, model.spellingCount);
  if (model.tokenizer === TOKENIZER_BYTE_PAIR) model.mergeTable = mergesCreate(model.merges, model.mergeCount);
  model.words = cachedWordsCreate();
  model.work = alloc((<usize>MAX_WORD_BYTES + 1) * PART_BYTES);
  model.piece = allocZeroed(<usize>(model.prefixLength + MAX_WORD_BYTES));
  memory.copy(model.piece, model.prefix, model.prefixLength);
}
