import { createHash } from "node:crypto";
import type { ServiceBroker } from "moleculer";
import { queryUnbound } from "../../core/database/connection/database.ts";
import type { Action } from "../../core/declare/action.ts";
import { permissions } from "../../core/declare/permissions.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { uploadField } from "../../core/files/upload.ts";
import { READY } from "../../core/health/readiness.ts";
import { RouteTable } from "../../core/http/route-table.ts";
import { statement } from "../../core/sql/statement.ts";
import { licenceGate } from "../../mixins/licence.ts";
import { type LiveAction, liveActions } from "../../mixins/live-registry.ts";
import { permissionGate } from "../../mixins/permission.ts";
import { type Declaration, describeAction } from "./openapi/declaration.ts";

/** A path that moleculer-web serves; `api.listAliases` lists them. */
export interface ServedAlias {
  method: string;
  /** Without the path of moleculer-web's route, and without a slash at the beginning. */
  path: string;
  /** Name of the action. */
  action: string;
  /** moleculer-web's route, with the hooks. */
  route: object;
  served: Route;
}

/** A declared route, and whether a node can serve it now. */
export interface Route {
  declaration: Declaration;
  available: boolean;
  /** Unset for a page. */
  alias?: ServedAlias;
  /** Query parameters that may be repeated. */
  lists: readonly string[];
  /** For uploads: the file's field and allowed types. */
  upload: { field: string; types: readonly string[] } | null;
  /**
   * The access check, where the gateway itself needs it: before it reads a file, and while a stream is open. Elsewhere only the action
   * checks.
   */
  admit: ((principal: Principal | null) => void) | null;
}

/** The permission and licence checks, as in the action itself. */
export function admission(declaration: Declaration): NonNullable<Route["admit"]> {
  const standIns = permissions().flatMap(({ module, built }) => (built ? [] : [module]));
  const gates = [
    // The actor's start already checked whether its permissions may be declared.
    permissionGate(declaration.name, declaration as unknown as Action, standIns),
    licenceGate(declaration as unknown as Action),
  ];
  return (principal) => {
    for (const gate of gates) gate?.(principal);
  };
}

const routeOf = (declaration: Declaration, available: boolean): Route => {
  const isList = (schema: unknown) => (schema as { type?: unknown }).type === "array";
  const lists = Object.entries(declaration.query ?? {}).flatMap(([name, schema]) => (isList(schema) ? [name] : []));
  const upload = uploadField(declaration.body);
  return { declaration, available, lists, upload, admit: upload || declaration.streams ? admission(declaration) : null };
};

export interface FoundRoute {
  route: Route;
  parameters: Record<string, string>;
}

const described = new WeakMap<LiveAction, Declaration>();

/** The declaration of an action, made once for each: a start rebuilds the routes several times. */
function declarationOf(action: LiveAction): Declaration {
  let made = described.get(action);
  if (!made) described.set(action, (made = describeAction(action as Action & { name: string })));
  return made;
}

/** Whether two lists declare the same. Compares texts only for other objects, as a node that joins again brings them. */
const declareSame = (some: readonly Declaration[], others: readonly Declaration[]): boolean =>
  some.length === others.length &&
  some.every((one, at) => one === others[at] || JSON.stringify(one) === JSON.stringify(others[at]));

/** What the paths of all routes begin with. */
export const PREFIX = "/api/v1";
/** One statement for all, because a start would wait for each. Sorted, because two nodes starting together would deadlock. */
const SAVE = statement(`insert into declarations as d (service, digest, body)
  select service, digest, body::json from unnest($1::text[], $2::text[], $3::text[]) as declared (service, digest, body) order by service
  on conflict (service) do update set digest = excluded.digest, body = excluded.body, seen_at = now()
  where d.digest <> excluded.digest or d.seen_at < now() - interval '1 day'`);
const LOAD = statement("select service, body from declarations where seen_at > now() - interval '30 days'");

/**
 * The routes of the live registry. The database stores what actors declare, so the endpoints of an actor that is down answer 503 and stay
 * in the OpenAPI document.
 */
export class Routes {
  readonly #remembered = new Map<string, Declaration[]>();
  #table = new RouteTable<Route>();
  #pages = new RouteTable<Route>();
  /** What the host of the instance administrators serves, which no other host does. */
  #instanceTable = new RouteTable<Route>();
  #instance: Route[] = [];
  #routes: Route[] = [];
  #all: readonly Route[] = [];
  #live: readonly Declaration[] = [];
  #away: readonly Declaration[] = [];
  #unsaved: ReadonlyMap<string, Declaration[]> = new Map();

  /** Loads stored declarations. `alone`: without a transporter every actor runs here, so there is nothing to load. */
  async load(alone: boolean): Promise<void> {
    if (alone) return;
    const rows = await queryUnbound<{ service: string; body: Declaration[] }>(LOAD);
    for (const { service, body } of rows) this.#remembered.set(service, body);
  }

  /** Rebuilds the routes after a registry change. Returns false if nothing changed. */
  rebuild(broker: ServiceBroker): boolean {
    const live = liveActions(broker).flatMap((action) => (action.rest || action.page ? [declarationOf(action)] : []));
    const byService = Map.groupBy(live, ({ name }) => name.slice(0, name.lastIndexOf(".")));
    for (const [service, declarations] of byService) this.#remembered.set(service, declarations);
    const away = [...this.#remembered].flatMap(([service, declarations]) => (byService.has(service) ? [] : declarations));
    if (declareSame(live, this.#live) && declareSame(away, this.#away)) return false;
    this.#live = live;
    this.#away = away;
    const all = [...live.map((one) => routeOf(one, true)), ...away.map((one) => routeOf(one, false))];
    const isInstance = ({ declaration }: Route) => declaration.instance !== undefined;
    this.#routes = all.filter((route) => route.declaration.page === undefined && !isInstance(route));
    this.#instance = all.filter(isInstance);
    this.#all = [...this.#routes, ...this.#instance];
    const [table, pages, instanceTable] = [new RouteTable<Route>(), new RouteTable<Route>(), new RouteTable<Route>()];
    for (const route of this.#routes) table.add(route.declaration.method, PREFIX + route.declaration.urlPath, route);
    // Probes know no host.
    for (const route of [...this.#instance, ...this.#routes.filter(({ declaration }) => declaration.urlPath === READY)])
      instanceTable.add(route.declaration.method, PREFIX + route.declaration.urlPath, route);
    for (const route of all)
      if (route.declaration.page !== undefined) pages.add(route.declaration.method, route.declaration.urlPath, route);
    this.#table = table;
    this.#pages = pages;
    this.#instanceTable = instanceTable;
    // Keep what an earlier save failed to store.
    this.#unsaved = new Map([...this.#unsaved, ...byService]);
    return true;
  }

  /** Stores the last registry's declarations, unless they are stored already. */
  async save(): Promise<void> {
    const unsaved = this.#unsaved;
    if (unsaved.size === 0) return;
    const bodies = [...unsaved.values()].map((declarations) => JSON.stringify(declarations));
    const digests = bodies.map((body) => createHash("sha1").update(body).digest("hex"));
    await queryUnbound(SAVE, [[...unsaved.keys()], digests, bodies]);
    if (this.#unsaved === unsaved) this.#unsaved = new Map();
  }

  get declarations(): Declaration[] {
    return this.#routes.map(({ declaration }) => declaration);
  }

  /** The declarations of the instance administrators' API. */
  get ofInstance(): Declaration[] {
    return this.#instance.map(({ declaration }) => declaration);
  }

  /** Every route; the same array until the registry changes. */
  get all(): readonly Route[] {
    return this.#all;
  }

  /**
   * The route of a request, or null.
   * @param onInstance on the host of the instance administrators
   */
  find(method: string, path: string, onInstance = false): FoundRoute | null {
    const found = (onInstance ? this.#instanceTable : this.#table).find(method, path);
    return found && { route: found.value, parameters: found.parameters };
  }

  /** The declared page of a request; `found` is null if the path has pages only for other methods. Null if it has none. */
  page(method: string, path: string): { found: FoundRoute | null } | null {
    const found = this.#pages.find(method, path);
    if (found) return { found: { route: found.value, parameters: found.parameters } };
    return this.#pages.methodsOf(path).length > 0 ? { found: null } : null;
  }

  /** The methods of a path, for 405. */
  methodsOf(path: string, onInstance = false): string[] {
    return (onInstance ? this.#instanceTable : this.#table)
      .methodsOf(path)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  }
}
