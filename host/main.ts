#!/usr/bin/env node
import { Logs } from './logging/logs.js';
import { checkCommand, repairCommand } from './maintenance/commands.js';
import type { Options } from './options/launch.js';
import { helpText, masterKeyWarning, readOptions } from './options/options.js';
import { lowerCompilerThreads } from './runtime/compiler-threads.js';
import { LaunchError } from './runtime/launch-error.js';
import { tuneRuntime } from './runtime/v8-flags.js';
import { PeregrineService } from './service.js';
import { readInstanceUid } from './transfer/instance-uid.js';
import { VERSION } from './version.js';

async function main(argv: string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) return print(helpText());
  if (argv.includes('--version') || argv.includes('-V')) return print(`peregrine ${VERSION}`);
  const [command] = argv;
  if (command === 'check' || command === 'repair') {
    const { dbPath } = readOptions(argv.slice(1), process.env);
    const { report, sound } = await (command === 'check' ? checkCommand(dbPath) : repairCommand(dbPath));
    print(report);
    process.exitCode = sound ? 0 : 1;
    return;
  }
  const options = readOptions(argv, process.env);
  tuneRuntime();
  const logs = Logs.ofProcess(options);
  const service = await PeregrineService.open(options, logs);
  lowerCompilerThreads();
  let closing = false;
  const close = () => {
    if (closing) process.exit(1);
    closing = true;
    service.close().then(
      () => process.exit(0),
      (error) => {
        logs.module('service').error({ err: error }, 'the end was not clean');
        process.exit(1);
      },
    );
  };
  // Before listening: a supervisor may stop the server as soon as it reads the banner.
  process.on('SIGINT', close).on('SIGTERM', close);
  const address = await service.listen(options);
  print(banner(options, address, await readInstanceUid(options.dbPath)));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function banner(options: Options, address: string, instanceUid: string | null): string {
  const warning = masterKeyWarning(options);
  return [
    `Peregrine ${VERSION}`,
    `  listening on  ${address}`,
    `  database      ${options.dbPath}`,
    `  environment   ${options.env}`,
    ...(instanceUid === null ? [] : [`  instance uid  ${instanceUid}`]),
    ...(warning ? [`  warning       ${warning}`] : []),
  ].join('\n');
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error instanceof LaunchError ? error.message : error.stack}\n`);
  process.exit(1);
});
