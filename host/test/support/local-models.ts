import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The folder that `node scripts/models.mjs` fills. */
export const REAL_MODELS = process.env.PEREGRINE_MODELS ?? path.join(os.homedir(), '.cache', 'peregrine-models');

/** The reason for skipping a test of a real model; false: the model is there. */
export function lacks(model: string): string | false {
  return fs.existsSync(path.join(REAL_MODELS, model, 'tokenizer.json'))
    ? false
    : `the model ${model} is not there: node scripts/models.mjs`;
}

/** The vocabulary of the tiny model, with a vector for each word. */
export const WORDS: Record<string, number[]> = {
  '[UNK]': [9, 9, 9],
  lamp: [1, 0, 0],
  light: [0.5, 0.5, 0],
  rug: [0, 1, 0],
  '##s': [0, 0, 0.25],
};

/** A BERT tokenizer with these words. */
export const TINY_TOKENIZER = {
  version: '1.0',
  added_tokens: [{ id: 0, content: '[UNK]', special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(Object.keys(WORDS).map((word, id) => [word, id])),
  },
};

/** A safetensors file. */
export function safetensors(tensors: Record<string, { dtype: string; shape: number[]; bytes: Uint8Array }>): Buffer {
  let at = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const place = [at, at + bytes.length];
    at += bytes.length;
    return [name, { dtype, shape, data_offsets: place }] as const;
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([head, header, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

export function f32(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(numbers).buffer);
}

const TABLE = Object.values(WORDS).flat();

/** The files of a static model of three dimensions. */
export const TINY_MODEL: Record<string, Buffer> = {
  'config.json': Buffer.from('{"model_type":"model2vec","normalize":true}'),
  'tokenizer.json': Buffer.from(JSON.stringify(TINY_TOKENIZER)),
  'model.safetensors': safetensors({ embeddings: { dtype: 'F32', shape: [TABLE.length / 3, 3], bytes: f32(TABLE) } }),
};

export function writeModel(folder: string, files: Record<string, Uint8Array>): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), bytes);
}
