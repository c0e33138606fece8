import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkedUid } from '../../../bindings/query/index-uid.js';
import { readObject, readParameters } from '../../../bindings/query/validate.js';
import { matchingRules } from '../../rules/listing.js';
import { RULE, RULE_LISTING, type RuleChange } from '../../rules/members.js';
import { RULES_UID } from '../../rules/store.js';
import { CUSTOM_METADATA } from '../../tasks/parameters.js';
import { jsonObject } from '../body.js';
import { pageOf } from '../page.js';
import { accept, parametersOf, requireFeature, type Service } from '../service.js';

export const RULE_PARAMETERS = { customMetadata: CUSTOM_METADATA };

/** Dynamic search rules. A faulty request is reported before a disabled feature. */
export function ruleRoutes(app: FastifyInstance, service: Service): void {
  const { rules, options } = service;
  const limitBytes = options.httpPayloadSizeLimit;
  const url = '/dynamic-search-rules';
  const gate = () => requireFeature(service, 'dynamicSearchRules', 'Using dynamic search rules');

  app.post(url, async (request, reply) => {
    const { filter, ...page } = readObject(RULE_LISTING, await jsonObject(request, limitBytes));
    gate();
    return reply.send(pageOf(matchingRules(rules.list(), filter), page, (rule) => rule));
  });

  app.get(`${url}/:rule_uid`, (request, reply) => {
    const uid = ruleUidOf(request);
    gate();
    return reply.send(rules.find(uid));
  });

  app.patch(`${url}/:rule_uid`, async (request, reply) => {
    const { customMetadata } = readParameters(RULE_PARAMETERS, parametersOf(request));
    const change = readObject(RULE, await jsonObject(request, limitBytes));
    const rule = ruleUidOf(request);
    gate();
    return accept(service, reply, {
      type: 'dsrUpdate',
      indexUid: RULES_UID,
      details: { rule: sentMembers(change), updatedRules: 1 },
      work: { kind: 'ruleUpdate', rule, change },
      customMetadata,
    });
  });

  app.delete(`${url}/:rule_uid`, (request, reply) => {
    const { customMetadata } = readParameters(RULE_PARAMETERS, parametersOf(request));
    const rule = ruleUidOf(request);
    gate();
    return accept(service, reply, {
      type: 'dsrUpdate',
      indexUid: RULES_UID,
      details: { updatedRules: 1 },
      work: { kind: 'ruleDeletion', rule },
      customMetadata,
    });
  });

  app.delete(url, (request, reply) => {
    const { customMetadata } = readParameters(RULE_PARAMETERS, parametersOf(request));
    gate();
    return accept(service, reply, {
      type: 'dsrClear',
      indexUid: RULES_UID,
      details: { deletedDocuments: null },
      work: { kind: 'rulesClear' },
      customMetadata,
    });
  });
}

/** @throws ApiError invalid_index_uid */
function ruleUidOf(request: FastifyRequest): string {
  return checkedUid((request.params as { rule_uid: string }).rule_uid);
}

function sentMembers(change: RuleChange): Partial<RuleChange> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
