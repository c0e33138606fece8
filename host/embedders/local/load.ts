import fs from 'node:fs';
import path from 'node:path';
import { own } from '../../../bindings/own.js';
import { compilePlain } from '../../index/engine-module.js';
import { WEIGHTS } from './files.js';
import { type LocalModel, LocalModelError, type Pooling } from './model.js';
import { OnnxModel, type OnnxPackage } from './onnx-model.js';
import { optionalPackage, RUNTIME, TOKENIZERS } from './packages.js';
import { readTensors } from './safetensors.js';
import { StaticModel } from './static-model.js';
import { engineTokens, type TokenizerConfig, type TokenizerJson, type TokenizerPackage } from './tokens.js';

export interface ModelPlace {
  /** Folder of the model. */
  folder: string;
  pooling: Pooling;
  /** Folder that optional packages are also looked up in. */
  models: string;
}

/** Tokens of a text that are used, for models that do not say. */
const DEFAULT_MAX_TOKENS = 512;

/** Loads a model from its folder. @throws {LocalModelError} */
export async function loadModel({ folder, pooling, models }: ModelPlace): Promise<LocalModel> {
  const { Tokenizer } = await optionalPackage<TokenizerPackage>(TOKENIZERS, models);
  const json = readJson<TokenizerJson>(folder, 'tokenizer.json');
  if (!json) throw new LocalModelError(`its folder \`${folder}\` has no \`tokenizer.json\`.`);
  const config = readJson<TokenizerConfig>(folder, 'tokenizer_config.json') ?? {};
  const tokenizer = new Tokenizer({ ...json, truncation: null, padding: null }, config);
  const network = WEIGHTS.onnx.map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (network) {
    const runtime = await optionalPackage<OnnxPackage>(RUNTIME, models);
    const options = { pooling: poolingOf(folder, pooling), longest: longestOf(folder) };
    return OnnxModel.load(runtime, fs.readFileSync(network), tokenizer, options);
  }
  const table = WEIGHTS.static.map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (!table) {
    const names = [...WEIGHTS.onnx, ...WEIGHTS.static].join('`, `');
    throw new LocalModelError(`its folder \`${folder}\` has none of \`${names}\`.`);
  }
  const { unk_token: unknown, vocab } = json.model;
  const id = unknown ? own(vocab, unknown) : undefined;
  const tokens = { tokenizer, engine: engineTokens(json, config), unknown: id };
  return new StaticModel(compilePlain(), tokens, readTensors(table));
}

function poolingOf(folder: string, pooling: Pooling): 'mean' | 'cls' {
  if (pooling !== 'useModel') return pooling === 'forceCls' ? 'cls' : 'mean';
  const said = readJson<{ pooling_mode_cls_token?: boolean }>(folder, '1_Pooling/config.json');
  return said?.pooling_mode_cls_token ? 'cls' : 'mean';
}

function longestOf(folder: string): number {
  const said = readJson<{ max_seq_length?: number }>(folder, 'sentence_bert_config.json')?.max_seq_length;
  const most = readJson<{ max_position_embeddings?: number }>(folder, 'config.json')?.max_position_embeddings;
  return Math.min(said ?? DEFAULT_MAX_TOKENS, most ?? DEFAULT_MAX_TOKENS);
}

/** null when the file does not exist. @throws {LocalModelError} when it is not JSON */
function readJson<T extends object>(folder: string, name: string): T | null {
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) return null;
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
  } catch {
    throw new LocalModelError(`\`${file}\` is no JSON.`);
  }
}
