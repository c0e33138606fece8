import { own } from '../../bindings/own.js';
import { INDEX_ROUTES } from './table/index-routes.js';
import { INSTANCE_ROUTES, STATUS_ROUTES } from './table/instance-routes.js';
import type { Route } from './table/route.js';

/**
 * Every route, by method and pattern. Registration fails for a route that is not in this table, and for an entry without a
 * handler; authorisation and the OpenAPI description are derived from it. Bodies and parameters are described by the member
 * tables that read them.
 */
export const ROUTES: Readonly<Record<string, Route>> = { ...STATUS_ROUTES, ...INDEX_ROUTES, ...INSTANCE_ROUTES };

/** @throws Error for a route that is not in the table */
export function routeOf(method: string, url: string): Route {
  const route = own(ROUTES, `${method} ${url}`);
  if (!route) throw new Error(`${method} ${url} is not in the table of routes`);
  return route;
}
