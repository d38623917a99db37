import { createHash } from "node:crypto";
import type { ServiceBroker } from "moleculer";
import { queryUnbound } from "../../core/database/connection/database.ts";
import { statement } from "../../core/database/statement.ts";
import type { Action } from "../../core/declare/action.ts";
import { permissions } from "../../core/declare/permissions.ts";
import { uploadField } from "../../core/files/upload.ts";
import { RouteTable } from "../../core/http/route-table.ts";
import type { Principal } from "../../core/request/context.ts";
import { licenceGate } from "../../mixins/licence.ts";
import { liveActions } from "../../mixins/live-registry.ts";
import { permissionGate } from "../../mixins/permission.ts";
import { type Declaration, describeAction } from "./openapi/declaration.ts";

/** A declared route and whether some node can serve it now. */
export interface Route {
  declaration: Declaration;
  available: boolean;
  /** Query parameters that may be repeated. */
  lists: readonly string[];
  /** Where it takes a file: the field and the types. */
  upload: { field: string; types: readonly string[] } | null;
  /**
   * The refusal of who may not call, where the gateway itself has to know: before any byte of a file is read, and as long as a stream lasts.
   * Everywhere else the action alone looks.
   */
  admit: ((principal: Principal | null) => void) | null;
}

/** The refusals of permission and licence, as the action itself makes them. */
export function admission(declaration: Declaration): NonNullable<Route["admit"]> {
  const standIns = permissions().flatMap(({ module, built }) => (built ? [] : [module]));
  const gates = [
    // Whether its permissions may be declared was asked when the actor started.
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

export interface Found {
  route: Route;
  parameters: Record<string, string>;
}

const PREFIX = "/api/v1";
/** All at once, or a start would wait for each; in one order, or two nodes that start together would wait for each other. */
const SAVE = statement(`insert into declarations as d (service, digest, body)
  select service, digest, body::json from unnest($1::text[], $2::text[], $3::text[]) as declared (service, digest, body) order by service
  on conflict (service) do update set digest = excluded.digest, body = excluded.body, seen_at = now()
  where d.digest <> excluded.digest or d.seen_at < now() - interval '1 day'`);
const LOAD = statement("select service, body from declarations where seen_at > now() - interval '30 days'");

/**
 * The routes of the live registry. What an actor declares is remembered in the database, so that one which is away answers 503 and
 * stays in the OpenAPI document instead of vanishing.
 */
export class Routes {
  readonly #remembered = new Map<string, Declaration[]>();
  #table = new RouteTable<Route>();
  #pages = new RouteTable<Route>();
  #routes: Route[] = [];
  #known = "";
  #unsaved: ReadonlyMap<string, Declaration[]> = new Map();

  /** Reads what earlier registries declared. `alone`: without a transporter every actor is here, so nothing is remembered. */
  async load(alone: boolean): Promise<void> {
    if (alone) return;
    const rows = await queryUnbound<{ service: string; body: Declaration[] }>(LOAD);
    for (const { service, body } of rows) this.#remembered.set(service, body);
  }

  /** Rebuilds routes after the registry has changed. Gives false when nothing did. */
  rebuild(broker: ServiceBroker): boolean {
    const live = liveActions(broker).flatMap((action) =>
      action.rest || action.page ? [describeAction(action as Action & { name: string })] : [],
    );
    const byService = Map.groupBy(live, ({ name }) => name.slice(0, name.lastIndexOf(".")));
    for (const [service, declarations] of byService) this.#remembered.set(service, declarations);
    const away = [...this.#remembered].flatMap(([service, declarations]) => (byService.has(service) ? [] : declarations));
    const known = JSON.stringify([live, away]);
    if (known === this.#known) return false;
    this.#known = known;
    const all = [...live.map((one) => routeOf(one, true)), ...away.map((one) => routeOf(one, false))];
    this.#routes = all.filter(({ declaration }) => declaration.page === undefined);
    const [table, pages] = [new RouteTable<Route>(), new RouteTable<Route>()];
    for (const route of this.#routes) table.add(route.declaration.method, PREFIX + route.declaration.urlPath, route);
    for (const route of all)
      if (route.declaration.page !== undefined) pages.add(route.declaration.method, route.declaration.urlPath, route);
    this.#table = table;
    this.#pages = pages;
    // What an earlier save did not get done stays to be saved.
    this.#unsaved = new Map([...this.#unsaved, ...byService]);
    return true;
  }

  /** Remembers in the database what the last registry declared, unless it is known to be there already. */
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

  get all(): readonly Route[] {
    return this.#routes;
  }

  /** The route of a request, or null. */
  find(method: string, path: string): Found | null {
    const found = this.#table.find(method, path);
    return found && { route: found.value, parameters: found.parameters };
  }

  /** The declared page of a request; `found` is null where its path is a page of other methods. Null where it is none. */
  page(method: string, path: string): { found: Found | null } | null {
    const found = this.#pages.find(method, path);
    if (found) return { found: { route: found.value, parameters: found.parameters } };
    return this.#pages.methodsOf(path).length > 0 ? { found: null } : null;
  }

  /** The methods a path knows, for 405. */
  methodsOf(path: string): string[] {
    return this.#table.methodsOf(path).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  }
}
