import { readFileSync } from 'node:fs';
import t from 'tap';

t.test('the installed command gives Node.js the flags of npm start', async (t) => {
  const [firstLine] = readFileSync(new URL('../main.js', import.meta.url), 'utf8').split('\n');
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  t.equal(`${firstLine} dist/host/main.js`, `#!/usr/bin/env -S ${scripts.start}`);
});
