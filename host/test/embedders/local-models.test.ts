import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import t from 'tap';
import { StaticModelInstance } from '../../../bindings/engine/static-model.js';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import { loadModel } from '../../embedders/local/load.js';
import { optionalPackage, TOKENIZERS } from '../../embedders/local/packages.js';
import { readTensors } from '../../embedders/local/safetensors.js';
import { engineTokens, type Tokenizer, type TokenizerJson, type TokenizerPackage } from '../../embedders/local/tokens.js';
import { compilePlain } from '../../index/engine-module.js';
import { startServer } from '../server.js';
import { testFolder } from '../support/folders.js';
import { f32, lacks, REAL_MODELS, safetensors, TINY_MODEL, TINY_TOKENIZER, WORDS, writeModel } from '../support/local-models.js';

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
const unit = (vector: number[]) => {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};
const near = (a: Iterable<number>, b: readonly number[]) => [...a].every((x, i) => Math.abs(x - (b[i] as number)) < 1e-5);

t.test('tensors of every type are read', async (t) => {
  const file = path.join(testFolder(t), 'model.safetensors');
  const numbers = [0, 1, -2, 0.5];
  const bytes = (array: { buffer: ArrayBufferLike }) => new Uint8Array(array.buffer as ArrayBuffer);
  const types: [string, Uint8Array][] = [
    ['F32', f32(numbers)],
    ['F64', bytes(Float64Array.from(numbers))],
    ['F16', bytes(Uint16Array.from([0, 0x3c00, 0xc000, 0x3800]))],
    ['BF16', bytes(Uint16Array.from([0, 0x3f80, 0xc000, 0x3f00]))],
  ];
  for (const [dtype, content] of types) {
    fs.writeFileSync(file, safetensors({ a: { dtype, shape: [2, 2], bytes: content } }));
    t.same([...readTensors(file).get('a')!.values], numbers, dtype);
  }
  const integers: [string, Uint8Array][] = [
    ['I8', bytes(Int8Array.from([1, -2]))],
    ['U8', Uint8Array.from([1, 254])],
    ['I32', bytes(Int32Array.from([1, -2]))],
    ['I64', bytes(BigInt64Array.from([1n, -2n]))],
  ];
  for (const [dtype, content] of integers) {
    fs.writeFileSync(file, safetensors({ a: { dtype, shape: [2], bytes: content } }));
    t.same([...readTensors(file).get('a')!.values], [1, dtype === 'U8' ? 254 : -2], dtype);
  }
  fs.writeFileSync(file, safetensors({ a: { dtype: 'F8', shape: [1], bytes: Uint8Array.of(1) } }));
  t.throws(() => readTensors(file), /type `F8`/);
  const whole = safetensors({ a: { dtype: 'F32', shape: [2, 2], bytes: f32(numbers) } });
  for (const length of [0, 7, 20, whole.length - 1]) {
    fs.writeFileSync(file, whole.subarray(0, length));
    t.throws(() => readTensors(file), /damaged/, `${length} bytes of it`);
  }
});

t.test('a static model computes the mean of the vectors of tokens', async (t) => {
  const folder = testFolder(t);
  writeModel(folder, TINY_MODEL);
  const model = await loadModel({ folder, pooling: 'useModel', models: folder });
  t.equal(model.dimensions, 3);
  const [of, middle] = [async (text: string) => [...(await model.embed([text]))], unit([10.5, 10.5, 9.25])];
  t.ok(near(await of('lamp'), [1, 0, 0]));
  t.ok(near(await of('Lamps, rug!'), unit([1, 1, 0.25])), 'what is not known says nothing');
  t.ok(near(await of('xyz'), middle), 'no token that is known: the middle of all');
  t.ok(near(await of(''), middle));
  const several = await model.embed(['rug', 'lamp']);
  t.ok(near(several, [0, 1, 0, 1, 0, 0]));

  const table = { dtype: 'F32', shape: [2, 3], bytes: f32([1, 0, 0, 0, 1, 0]) };
  const weights = { dtype: 'F32', shape: [5], bytes: f32([1, 1, 1, 3, 1]) };
  const mapping = { dtype: 'I32', shape: [5], bytes: new Uint8Array(Int32Array.from([0, 0, 0, 1, 0]).buffer) };
  writeModel(folder, { 'model.safetensors': safetensors({ embeddings: table, weights, mapping }) });
  const weighted = await loadModel({ folder, pooling: 'useModel', models: folder });
  t.ok(near(await weighted.embed(['lamp light rug']), unit([2, 3, 0])), 'weights, and tokens that share a vector');
});

/** The first components of a vector that the original package computes. */
const HELLO_WORLD = [0.122179, 0.043054, 0.056709, -0.04641];

/** A model whose tokens are of interest, not its vectors. */
function tokensBy(tokenizer: Tokenizer, json: TokenizerJson): StaticModelInstance {
  return new StaticModelInstance(compilePlain(), {
    dimensions: 1,
    table: Float32Array.of(0),
    rows: Int32Array.of(0),
    weights: null,
    middle: Float32Array.of(0),
    engine: engineTokens(json, {}),
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
  });
}

const ODD_WORDS = [
  ...['lamps', 'Été', '日本', 'x▁y', '▁', 'a,b', '🦊', '[UNK]', '</s>', "it's", ' ', '\u00a0z', 'q'.repeat(120), ''],
  ...[
    '\v',
    'a\fb',
    '\u007f',
    '\ud800',
    '\ufffd',
    'ΑΣ',
    'İI',
    'e\u0301',
    '\0',
    'x'.repeat(600),
    '日本語'.repeat(60),
    '🦊🦊',
    '...',
    '##s',
  ],
];
const GAPS = [' ', '  ', '   ', '\n', '\t', '', ' ', '\r\n', '\u2028'];

function oddText(random: SeededRandom, words: readonly string[]): string {
  const text = Array.from({ length: random.int(12) }, () => random.pick(GAPS) + random.pick(words)).join('');
  return text + random.pick(GAPS);
}

/** Natural texts: the paragraphs of the documentation. */
function writtenTexts(): string[] {
  const names = fs.readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return names.flatMap((name) => fs.readFileSync(path.join('docs', name), 'utf8').split('\n\n'));
}

t.test('the engine finds the same tokens as the tokenizer package', async (t) => {
  const { Tokenizer } = await optionalPackage<TokenizerPackage>(TOKENIZERS, REAL_MODELS);
  const random = seededRandom(7);
  const odd = Array.from({ length: 500 }, () => oddText(random, [...ODD_WORDS, ...Object.keys(WORDS)]));
  const check = (json: TokenizerJson, name: string, texts: readonly string[]) => {
    const tokenizer = new Tokenizer(json, {});
    const tokens = tokensBy(new Tokenizer(json, {}), json);
    t.ok(engineTokens(json, {}), `${name}: by the engine`);
    const differs = texts.find((text) => {
      return JSON.stringify(tokens.tokens(text)) !== JSON.stringify(tokenizer.encode(text, { add_special_tokens: false }).ids);
    });
    t.equal(differs, undefined, `${name}: ${texts.length} texts`);
  };
  check(TINY_TOKENIZER as unknown as TokenizerJson, 'words', odd);
  for (const name of ['wordllama', 'minilm']) {
    if (lacks(name)) t.comment(lacks(name) as string);
    else
      check(JSON.parse(fs.readFileSync(path.join(REAL_MODELS, name, 'tokenizer.json'), 'utf8')), name, [
        ...odd,
        ...writtenTexts(),
      ]);
  }
});

t.test('the tokenizer package is used for rules that the engine does not have', async (t) => {
  const { Tokenizer } = await optionalPackage<TokenizerPackage>(TOKENIZERS, REAL_MODELS);
  const tiny = TINY_TOKENIZER as unknown as TokenizerJson;
  const others: TokenizerJson[] = [
    { ...tiny, pre_tokenizer: { type: 'Whitespace' } },
    { ...tiny, normalizer: { type: 'NFC' } },
  ];
  for (const json of others) {
    t.equal(engineTokens(json, {}), null);
    const tokenizer = new Tokenizer(json, {});
    for (const text of ['lamps rug', 'lamp,rug', '']) {
      t.same(tokensBy(tokenizer, json).tokens(text), tokenizer.encode(text, { add_special_tokens: false }).ids, text);
    }
  }
  t.equal(engineTokens(tiny, { remove_space: true }), null);
});

t.test('the cache of words is cleared when it is full', (t) => {
  const json = TINY_TOKENIZER as unknown as TokenizerJson;
  const tokens = tokensBy({ encode: () => ({ ids: [4] }) }, json);
  const many = Array.from({ length: 300_000 }, (_, i) => `w${i}`);
  t.same(tokens.tokens('lamps'), [1, 4]);
  for (let at = 0; at < many.length; at += 1000) tokens.tokens(many.slice(at, at + 1000).join(' '));
  t.same(tokens.tokens('lamps rug été'), [1, 4, 3, 4]);
  t.end();
});

t.test('texts of an index are embedded by a model in the process', async (t) => {
  const models = testFolder(t);
  writeModel(path.join(models, 'tiny'), TINY_MODEL);
  const server = await startServer('--models-dir', models);
  t.teardown(() => server.close());
  const embedder = (model: string) => ({ m: { source: 'huggingFace', model, documentTemplate: '{{doc.title}}' } });
  const settings = (model: string) => server.task('PATCH', '/indexes/a/settings/embedders', embedder(model));
  t.equal((await settings('tiny')).status, 'succeeded');
  const documents = ['lamps', 'rug', 'light rug'].map((title, id) => ({ id, title }));
  const added = await server.task('POST', '/indexes/a/documents', documents);
  t.equal(added.status, 'succeeded');
  t.notOk((await server.call('GET', `/batches/${added.batchUid}`)).body.stats.embedderRequests, 'no request was made');
  const stored = (await server.call('GET', '/indexes/a/documents/1?retrieveVectors=true')).body._vectors.m;
  t.same(stored, { embeddings: [[0, 1, 0]], regenerate: true });
  for (const semanticRatio of [1, 0.9]) {
    const { body } = await server.call('POST', '/indexes/a/search', {
      q: 'lamp',
      hybrid: { embedder: 'm', semanticRatio },
      showRankingScore: true,
    });
    t.same(
      body.hits.map(({ id }: { id: number }) => id),
      [0, 2, 1],
    );
    t.equal(body.semanticHitCount > 0, true);
  }
  for (const name of ['../tiny', 'a/../../tiny', '/etc', 'a/b/c', '']) {
    const task = await settings(name);
    t.match(task, { status: 'failed', error: { code: 'vector_embedding_error', message: /no name of a model/ } }, name);
  }
  writeModel(path.join(models, 'empty'), { 'tokenizer.json': TINY_MODEL['tokenizer.json']! });
  t.match(await settings('empty'), { status: 'failed', error: { message: /none of `onnx\/model.onnx`/ } });
  writeModel(path.join(models, 'empty'), TINY_MODEL);
  t.equal((await settings('empty')).status, 'succeeded', 'what is put right is looked at again');
  t.same(server.errors, []);
});

t.test('a model is downloaded once, and its files are verified', async (t) => {
  const asked: string[] = [];
  let damage = false;
  const hub = http.createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    const name = url.split('/').slice(5).join('/') || url.slice('/blob/'.length);
    const bytes = TINY_MODEL[name];
    if (!bytes) return response.writeHead(404).end();
    if (url.startsWith('/blob/')) return response.end(damage ? Buffer.concat([bytes, Buffer.from('x')]) : bytes);
    const git = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    if (name !== 'model.safetensors') return response.setHeader('etag', `"${git}"`).end(bytes);
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    return response.writeHead(302, { location: `/blob/${name}`, 'x-linked-etag': etag }).end();
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  process.env.HF_ENDPOINT = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const models = testFolder(t);
  const server = await startServer('--models-dir', models);
  delete process.env.HF_ENDPOINT;
  t.teardown(async () => {
    await server.close();
    hub.closeAllConnections();
    hub.close();
  });
  const settings = () =>
    server.task('PATCH', '/indexes/a/settings/embedders', { m: { source: 'huggingFace', model: 'some/tiny', revision: 'v1' } });
  damage = true;
  t.match(await settings(), { status: 'failed', error: { code: 'vector_embedding_error', message: /came otherwise/ } });
  damage = false;
  asked.length = 0;
  t.equal((await settings()).status, 'succeeded');
  t.ok(asked.every((url) => url.startsWith('/some/tiny/resolve/v1/') || url.startsWith('/blob/')));
  t.notOk(
    asked.some((url) => url.endsWith('tokenizer.json')),
    'what had come is not fetched again',
  );
  asked.length = 0;
  await server.restart('--models-dir', models);
  t.equal((await server.task('POST', '/indexes/a/documents', [{ id: 1, title: 'lamp' }])).status, 'succeeded');
  t.same(asked, []);
  t.match(
    await server.task('PATCH', '/indexes/b/settings/embedders', { m: { source: 'huggingFace', model: 'nobody/nothing' } }),
    { status: 'failed', error: { code: 'vector_embedding_error', message: /could not be fetched/ } },
  );
});

t.test('real weights: wordllama', { skip: lacks('wordllama') }, async (t) => {
  const model = await loadModel({ folder: path.join(REAL_MODELS, 'wordllama'), pooling: 'useModel', models: REAL_MODELS });
  t.equal(model.dimensions, 256);
  // as the package itself embeds it
  t.ok(near((await model.embed(['Hello world'])).slice(0, 4), HELLO_WORLD));
  const [lamp, light, rome] = await Promise.all(
    ['a lamp for the desk', 'lights for tables', 'the roman empire'].map((text) => model.embed([text])),
  );
  t.ok(cosine(lamp!, light!) > cosine(lamp!, rome!) + 0.1);
});

t.test('real weights: MiniLM', { skip: lacks('minilm') }, async (t) => {
  const model = await loadModel({ folder: path.join(REAL_MODELS, 'minilm'), pooling: 'useModel', models: REAL_MODELS });
  t.equal(model.dimensions, 384);
  const texts = ['a lamp for the desk', 'lights to put on a table', 'the roman empire'];
  const vectors = await model.embed(texts);
  const [lamp, light, rome] = [0, 1, 2].map((place) => vectors.slice(place * 384, (place + 1) * 384));
  t.ok(cosine(lamp!, light!) > cosine(lamp!, rome!) + 0.3);
  t.same(await model.embed([texts[1]!]), light, 'a text has one vector, whatever comes along with it');
  t.equal((await model.embed(['word '.repeat(2000)])).length, 384, 'a long text is cut');
});
