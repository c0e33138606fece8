import t from 'tap';
import { startServer } from '../server.js';

t.test('a loop inside a built-in is ended by the watchdog', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
  await server.task('POST', '/indexes/a/documents', [{ id: 1 }]);
  const edit = async (script: string) => {
    const answer = await server.call('POST', '/indexes/a/documents/edit', { function: script }, { prefer: 'wait=60' });
    return answer.body;
  };
  const endless = edit('Array.prototype.indexOf.call({ length: 1e15 }, 1)');
  t.equal((await server.call('GET', '/indexes/a/documents/1')).status, 200, 'reads go on meanwhile');
  t.match(await endless, { status: 'failed', error: { code: 'edit_documents_by_function_error' } });
  t.equal((await edit('doc.ok = true')).status, 'succeeded', 'the next one runs');
});
