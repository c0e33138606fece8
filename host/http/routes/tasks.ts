import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { listed, Place, readParameters } from '../../../bindings/query/validate.js';
import { matchingTasks, pageOfTasks, type TaskFilter, taskVisible } from '../../tasks/filters.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS, UID } from '../../tasks/parameters.js';
import { toRanges } from '../../tasks/ranges.js';
import type { TaskRecord } from '../../tasks/task.js';
import { taskView } from '../../tasks/view.js';
import { accept, parametersOf, requireFeature, type Service } from '../service.js';

export function taskRoutes(app: FastifyInstance, service: Service): void {
  const { queue } = service;

  app.get('/tasks', async (request, reply) => {
    const { limit, from, reverse, ...filter } = readParameters(PAGE_PARAMETERS, parametersOf(request));
    const page = pageOfTasks(queue, filter as TaskFilter, { limit, from, reverse }, request.access);
    const results = (await queue.records(page.uids)).map((task) => taskView(task, queue.running));
    return reply.send({ results, total: page.total, limit, from: page.from, next: page.next });
  });

  app.get('/tasks/:task_uid', async (request, reply) => {
    return reply.send(taskView(await taskOf(service, request), queue.running));
  });

  app.get('/tasks/:task_uid/documents', async (request, reply) => {
    requireFeature(service, 'getTaskDocumentsRoute', 'Reading the documents of a task');
    const task = await taskOf(service, request);
    const documents = await service.payloads.documents(task);
    if (!documents) throw apiError('task_file_not_found', 'noDocuments', { uid: task.uid });
    return reply.header('content-type', 'application/x-ndjson').send(Readable.from(linesOf(documents)));
  });

  app.post('/tasks/cancel', (request, reply) => registerOver(service, request, reply, 'taskCancelation', 'canceledTasks'));
  app.delete('/tasks', (request, reply) => registerOver(service, request, reply, 'taskDeletion', 'deletedTasks'));
}

async function taskOf({ queue }: Service, request: FastifyRequest): Promise<TaskRecord> {
  const { task_uid: text } = request.params as { task_uid: string };
  const uid = UID.text(text, new Place('task uid', 'invalid_task_uids', true));
  const row = queue.table.get(uid);
  const task = row && taskVisible(row, request.access) ? await queue.record(uid) : null;
  if (!task) throw apiError('task_not_found', 'notFound', { uid });
  return task;
}

const LINE_FEED = Buffer.from('\n');

function* linesOf(documents: Iterable<Buffer>): Generator<Buffer> {
  for (const document of documents) yield Buffer.concat([document, LINE_FEED]);
}

/** Registers a task that applies to the tasks matching now. */
function registerOver(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  type: 'taskCancelation' | 'taskDeletion',
  counter: string,
): Promise<FastifyReply> {
  const parameters = parametersOf(request);
  const filter = readParameters(FILTER_PARAMETERS, parameters);
  if (parameters.length === 0)
    throw apiError('missing_task_filters', 'needed', { parameters: listed(Object.keys(FILTER_PARAMETERS)) });
  const uids = matchingTasks(service.queue, filter as TaskFilter, request.access);
  const { url } = request.raw;
  return accept(
    service,
    reply,
    {
      type,
      indexUid: null,
      details: { matchedTasks: uids.length, [counter]: null, originalFilter: url!.slice(url!.indexOf('?')) },
      work: { kind: type, tasks: toRanges(uids) },
    },
    200,
  );
}
