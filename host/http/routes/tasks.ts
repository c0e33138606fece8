import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../bindings/errors.js';
import { listed, Place, readParameters } from '../../../bindings/query/validate.js';
import { matchingTasks, pageOfTasks, type TaskFilter } from '../../tasks/filters.js';
import { toRanges } from '../../tasks/ranges.js';
import { taskView } from '../../tasks/view.js';
import { accept, parametersOf, type Service } from '../service.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS, UID } from './task-parameters.js';

export function taskRoutes(app: FastifyInstance, service: Service): void {
  const { queue } = service;

  app.get('/tasks', async (request, reply) => {
    const { limit, from, reverse, ...filter } = readParameters(PAGE_PARAMETERS, parametersOf(request));
    const page = pageOfTasks(queue, filter as TaskFilter, { limit, from, reverse });
    const results = (await queue.records(page.uids)).map((task) => taskView(task, queue.running));
    return reply.send({ results, total: page.total, limit, from: page.from, next: page.next });
  });

  app.get('/tasks/:task_uid', async (request, reply) => {
    const uid = UID.text((request.params as { task_uid: string }).task_uid, new Place('task uid', 'invalid_task_uids', true));
    const task = await queue.record(uid);
    if (!task) throw new ApiError('task_not_found', `Task ${uid} not found.`);
    return reply.send(taskView(task, queue.running));
  });

  app.post('/tasks/cancel', (request, reply) => registerOver(service, request, reply, 'taskCancelation', 'canceledTasks'));
  app.delete('/tasks', (request, reply) => registerOver(service, request, reply, 'taskDeletion', 'deletedTasks'));
}

/** Registers a task over the tasks that match now. */
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
    throw new ApiError(
      'missing_task_filters',
      `At least one of these parameters must say which tasks: ${listed(Object.keys(FILTER_PARAMETERS))}.`,
    );
  const uids = matchingTasks(service.queue, filter as TaskFilter);
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
