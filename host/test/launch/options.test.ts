import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { readable } from '../../logging/lines.js';
import { helpText, masterKeyWarning, readOptions } from '../../options/options.js';
import { OPTIONS } from '../../options/table.js';
import { optionReference } from '../../reference/options.js';
import { LaunchError } from '../../runtime/launch-error.js';
import { VERSION } from '../../version.js';

t.test('flags override the environment, the file and the defaults', async (t) => {
  const file = path.join(
    t.testdir({ 'config.toml': 'db_path = "file"\nhttp_addr = "file:1"\nlog_level = "warn"\nno_analytics = true\n' }),
    'config.toml',
  );
  const env = { PEREGRINE_DB_PATH: 'env', MEILI_HTTP_ADDR: 'alias:2', PEREGRINE_HTTP_ADDR: 'env:2' };
  const options = readOptions(['--config-file-path', file, '--db-path=flag'], env);
  t.match(options, { dbPath: 'flag', httpAddr: 'env:2', logLevel: 'WARN', noAnalytics: true, env: 'development' });
  t.equal(readOptions([], { PEREGRINE_CONFIG_FILE_PATH: file }).httpAddr, 'file:1');
});

t.test('option values are parsed and validated', async (t) => {
  t.match(readOptions(['--http-payload-size-limit', '2 MiB', '--max-indexing-threads', 'unlimited', '--no-analytics'], {}), {
    httpPayloadSizeLimit: 2 * 1024 * 1024,
    maxIndexingThreads: os.availableParallelism(),
    noAnalytics: true,
  });
  t.equal(readOptions([], {}).maxIndexingMemory, Math.floor((os.totalmem() * 2) / 3));
  t.equal(readOptions(['--max-indexing-memory', '128 MiB'], {}).maxIndexingMemory, 2 ** 27);
  t.equal(readOptions(['--max-indexing-memory', '1 GiB'], {}).experimentalLimitBatchedTasksTotalSize, 2 ** 29);
});

t.test('switches take the words for true and false that environments use', async (t) => {
  const words = { true: true, TRUE: true, 1: true, yes: true, on: true, false: false, 0: false, No: false, off: false };
  for (const [word, value] of Object.entries(words))
    t.equal(readOptions([], { MEILI_NO_ANALYTICS: word }).noAnalytics, value, word);
  for (const word of ['', '2', 'maybe', 'constructor'])
    t.throws(() => readOptions([], { MEILI_NO_ANALYTICS: word }), { message: /--no-analytics/ }, word);
  t.equal(readOptions(['--schedule-snapshot=1'], {}).scheduleSnapshot, 1, 'seconds stay seconds');
});

t.test('invalid options end the launch', async (t) => {
  const folder = t.testdir({
    'unknown.toml': 'db_pth = "x"',
    'broken.toml': '=',
    'nested.toml': 'config_file_path = "x"',
    'list.toml': 'max_indexing_threads = [1]',
  });
  const refused: [string[], RegExp][] = [
    [['--nope'], /--nope/],
    [['stray'], /stray/],
    [['--db-path'], /needs a value/],
    [['--log-level', 'loud'], /--log-level.*loud.*`TRACE`/],
    [['--max-indexing-threads', '0'], /max-indexing-threads/],
    [['--max-indexing-memory', '100MB'], /--max-indexing-memory does not take `100MB`: it takes 128 MiB or more/],
    [['--max-indexing-memory', 'much'], /--max-indexing-memory does not take `much`/],
    [['--env', 'production'], /--master-key [\w-]{43}$/],
    [['--env', 'production', '--master-key', 'short'], /at least 16 bytes/],
    [['--config-file-path', path.join(folder, 'none.toml')], /cannot be read/],
    [['--config-file-path', path.join(folder, 'unknown.toml')], /db_pth/],
    [['--config-file-path', path.join(folder, 'broken.toml')], /not TOML/],
    [['--config-file-path', path.join(folder, 'nested.toml')], /config_file_path/],
    [['--config-file-path', path.join(folder, 'list.toml')], /`max_indexing_threads`, which takes one value/],
  ];
  for (const [argv, message] of refused) {
    t.throws(() => readOptions(argv, {}), { constructor: LaunchError, message }, argv.join(' '));
  }
  t.match(readOptions(['--env', 'production', '--master-key', '0123456789abcdef'], {}), { env: 'production' });
  t.match(masterKeyWarning(readOptions(['--master-key', 'short'], {})), /shorter/);
  t.equal(masterKeyWarning(readOptions(['--master-key', '0123456789abcdef'], {})), null);
});

t.test('options of other servers are refused with a hint', async (t) => {
  const folder = t.testdir({ 's3.toml': 's3_bucket_name = "backups"' });
  const refused: [argv: string[], env: Record<string, string>, message: RegExp][] = [
    [['--s3-bucket-url', 'https://x'], {}, /--s3-bucket-url is not supported: .*--snapshot-dir/],
    [['--experimental-s3-compression-level=3'], {}, /--experimental-s3-compression-level is not supported/],
    [[], { MEILI_S3_ACCESS_KEY: 'x' }, /--s3-access-key is not supported/],
    [['--config-file-path', path.join(folder, 's3.toml')], {}, /--s3-bucket-name is not supported/],
    [['--experimental-replication-parameters'], {}, /--experimental-replication-parameters is not supported: .*POST \/export/],
    [['--experimental-personalization-url', 'nowhere'], {}, /absolute URL/],
    [['--experimental-legacy-search-default'], {}, /one way to search/],
    [[], { MEILI_EXPERIMENTAL_LEGACY_SEARCH: 'true' }, /one way to search/],
  ];
  for (const [argv, env, message] of refused) {
    t.throws(() => readOptions(argv, env), { constructor: LaunchError, message }, String(message));
  }
  t.ok(readOptions(['--experimental-replication-parameters=false'], {}), 'a switch that is off asks for nothing');
  t.notMatch(helpText(), /s3/);
});

t.test('older names of options are accepted', async (t) => {
  t.equal(readOptions(['--experimental-dumpless-upgrade'], {}).upgradeDb, true);
  t.equal(readOptions([], { MEILI_EXPERIMENTAL_DUMPLESS_UPGRADE: 'true' }).upgradeDb, true);
  t.equal(readOptions(['--upgrade-db=false'], { MEILI_EXPERIMENTAL_DUMPLESS_UPGRADE: 'true' }).upgradeDb, false);
  t.equal(readOptions([], {}).upgradeDb, false);
});

t.test('every option is in the help and in the reference, which is current', async (t) => {
  const flags = [...Object.values(OPTIONS).map(({ flag }) => flag), 'config-file-path'].map((flag) => `--${flag}`);
  const page = fs.readFileSync(new URL('../../../../docs/reference/options.md', import.meta.url), 'utf8');
  t.equal(page, optionReference(), 'npm run reference makes the page anew');
  const help = helpText();
  for (const flag of flags) {
    t.match(help, `  ${flag} `);
    t.match(page, `**\`${flag}`);
  }
});

t.test('log lines in the HUMAN format', async (t) => {
  const line = JSON.stringify({
    level: 40,
    time: '2030-01-01T00:00:00.000Z',
    msg: 'slow',
    batch: 3,
    err: { stack: 'Error: x\n  at y' },
  });
  t.equal(readable(line), '2030-01-01T00:00:00.000Z WARN  slow batch=3\n  Error: x\n    at y\n');
});

t.test('the version is that of the package', async (t) => {
  const file = new URL('../../../../package.json', import.meta.url);
  t.equal(VERSION, JSON.parse(fs.readFileSync(file, 'utf8')).version);
});
