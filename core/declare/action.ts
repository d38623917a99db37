import type { Context } from "moleculer";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "../schema/schema.ts";
import { CURSOR_QUERY, isWalked } from "./cursor-query.ts";
import type { StreamEvents } from "./event-stream.ts";
import type { Meta } from "./principal.ts";
import { type ToolDeclaration, toolFault } from "./tool.ts";

/** An action's contributions to endpoints that other actors assemble from the live registry. */
export interface Contributions {
  /** A panel on the detail page of `entity`; the action receives `{company_id}` and returns the panel's data. */
  panel?: { entity: "company"; key: string; position: number; prominence?: "primary" | "register"; size?: "full" | "half" };
  /** A tile on the summary of `entity`; the action returns the tile without key and position, or null if there is nothing to show. */
  tile?: { entity: "company"; key: string; position: number };
  /**
   * Figures for many rows at once; the action receives `{ids}` and returns a record by id: `company.hours` the budget roll-up of companies,
   * `project.agreements` lists of the agreements that projects are linked to.
   */
  figures?: "company.hours" | "project.agreements";
  /**
   * What clients are billed for every period; the action receives `{company_id}`, null for all clients, and returns a list of
   * `RecurringSource` of core/values, limited to what the caller may see.
   */
  recurring?: { source: "subscription" | "domain" };
  /** What hangs on a member; the action receives `{user_id}` and returns a list of `OpenWork` of core/values, as far as the caller sees it. */
  openWork?: true;
}

/** Names of the parameters in a path such as `/companies/:company_id`. */
type PathNames<R extends string> = R extends `${string}/:${infer After}`
  ? After extends `${infer Name}/${infer Rest}`
    ? Name | PathNames<`/${Rest}`>
    : After
  : never;

/** The parameters of an action when its contributions are assembled. */
type Contributed<C> = C extends { panel: object } | { tile: object }
  ? { company_id: string }
  : C extends { figures: string }
    ? { ids: string[] }
    : C extends { recurring: object }
      ? { company_id: string | null }
      : C extends { openWork: true }
        ? { user_id: string }
        : C extends { files: { parameter: infer Name extends string } }
          ? Record<Name, string>
          : unknown;

/** The parameters of an action: those of its path, ids unless `path` declares otherwise, those of its query, and the body. */
type ParamsOf<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined, C> = {
  [Name in PathNames<R> | keyof P]: Name extends keyof P ? Static<P[Name]> : string;
} & Static<TObject<Q>> &
  (B extends TSchema ? { body: Static<B> } : unknown) &
  Contributed<C>;

/** The parameters of an `untenanted` action: the whole request except credentials of this service. */
export interface UntenantedCall {
  parameters: Record<string, string>;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** The bytes of the body in base64; null if it exceeds `mostBody` (64 KiB by default) and was not read. */
  body: string | null;
}

/** The context of a handler: path and query parameters by name, the body as `body`. */
export type ActionContext<Params = unknown> = Context<Params, Meta>;

/** The declaration of an action: its route, access, input, output and behaviour. */
export interface ActionDeclaration<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
> {
  /** `METHOD /path/:parameter` under `/api/v1`; without it only other actors can call the action. */
  rest?: string;
  /**
   * `METHOD /path/:parameter` of an HTML page, instead of `rest`: outside `/api/v1` and the reference, rendered by the gateway in the style
   * of its own pages. The handler returns a `PageMade`; errors are rendered as pages, 403 and 422 as the 404 page. A POST calls other
   * actors in `prepare`, and its `bodyType` is that of forms.
   */
  page?: string;
  summary: string;
  description?: string;
  /** The catalogue permission that a caller needs; otherwise declare `open`. */
  permission?: string;
  /** Why this action needs no permission. */
  open?: string;
  /**
   * With `open`: who has access. Default `principal`, anyone signed in here. `administrator` requires a session of an instance
   * administrator; `everything` the service itself, or a caller who holds every permission and sees every client.
   */
  needs?: "nothing" | "session" | "administrator" | "principal" | "everything";
  /** Requires a session, so a person who is present; a key gets 403, whatever its scopes. */
  sessionOnly?: true;
  /**
   * An OAuth endpoint for programs: its errors have the shape of RFC 6749 §5.2, under this name unless they carry their own. Its responses
   * are not cached, and because it uses no cookie, any origin may call it.
   */
  oauth?: "invalid_request" | "invalid_client_metadata";
  /** Which actors may call it: by default those of every node, with `protected` only those of its own node. */
  visibility?: "protected";
  /** Part of password sign-in: rejected if the organisation enforces single sign-on (access §1.3). */
  localSignIn?: true;
  /** Name, without the prefix of core/http/host-cookie.ts, of an additional cookie that it receives as `request().cookie`. */
  cookie?: string;
  /** Counts calls per address and host before any other check; see the limits in conventions §13. */
  limit?: "sign-in" | "account" | "client-registration";
  /**
   * Runs on any host without organisation or principal: it receives an `UntenantedCall` and returns `{status, body}`. For readiness, and
   * for callbacks that name their organisation themselves. With `returns: null` no response has a body, not even an error of the gateway.
   */
  untenanted?: boolean;
  /** With `needs: "nothing"`: also runs while the organisation is suspended. */
  whileSuspended?: boolean;
  /** Permissions that are required as well. */
  also?: readonly string[];
  /** Its result concerns every client: a caller with a selection gets 403, whatever their permissions (conventions §5). */
  everyClient?: true;
  /** With `open`: acts for the person who signed in, even while they impersonate a client login. Actions that need a session always do. */
  asImpersonator?: true;
  /** The licence that its writes need, if not that of its permission. */
  licence?: string;
  /** Why a write of a licensed module does not need the licence. */
  licenceExempt?: string;
  path?: P;
  query?: Q;
  body?: B;
  bodyType?: "application/json" | "application/x-www-form-urlencoded";
  /** Largest body in bytes, if larger than `SERVICE_BODY_LIMIT`; for an `untenanted` action, if larger than 64 KiB. */
  mostBody?: number;
  /** Time limit in milliseconds, if longer than `SERVICE_REQUEST_TIMEOUT_MS`. */
  timeout?: number;
  returns?: TSchema | null;
  /** The 202 response when the handler returns an `Accepted` of core/http/accepted.ts and a job continues the work. */
  accepts?: TSchema;
  /** Media type of a file response, for instance `image/*`; the handler then returns a `FileAnswer`. */
  returnsFile?: string;
  /**
   * Events of a stream response (`text/event-stream`), each with the schema of its data; the handler then returns an `EventStream`. A
   * stream that declares `done` ends automatically; others last until the caller disconnects.
   */
  streams?: StreamEvents;
  /** Success status; by default 201 for a POST with a response body, 200 for other methods with one, otherwise 204. */
  status?: number;
  otherStatuses?: Record<number, string>;
  /** Error codes in addition to the usual ones of such an action. */
  errors?: readonly string[];
  /** A POST that changes the state of its row, so that `If-Match` applies to that row (conventions §11). */
  conditional?: boolean;
  /** A GET that may write, for instance a settings row created on first access. */
  writes?: boolean;
  /** The response contains a one-time secret: it is never stored for an idempotency key. */
  oneTime?: boolean;
  /** Exceptions to the checks of the generic suite, each with the clause that allows it. */
  exceptions?: Partial<
    Record<"anonymous" | "permission" | "tenancy" | "host" | "malformed" | "selection" | "statements", string>
  >;
  example?: unknown;
  contributes?: Contributions;
  /** Makes the action an everyday tool for MCP clients; they find every other action through the search. */
  tool?: ToolDeclaration;
  /**
   * Changes something outside the service that it cannot undo: orders, sends, pays, asks a model. The platform then does it once per
   * request. It checks that the principal is current right before the first such call, does not compare it afterwards, and a later run
   * reuses the result of `prepare`, which must be JSON because it may be stored. The work's id is `request().workId`. Without this
   * declaration the request fails at its first such call (core/outbound/acts.ts), or when it calls an action that declares it.
   */
  acts?: "outside";
  /**
   * Runs before the handler, on validated input, before the request has a transaction. For work that must not hold a connection or a lock,
   * such as calls to other actors and processing bytes. The handler gets its result from `prepared()`. It does not run for a replay; it
   * runs again with the request unless it has acted outside.
   */
  prepare?: (ctx: ActionContext<never>) => Promise<unknown>;
}

/** A declaration with its handler; `this` is the service. */
export type Action = ActionDeclaration & {
  handler: (ctx: ActionContext<never>) => unknown;
  method: string;
  urlPath: string;
  /** Query parameters that a caller must send. Stored separately: when Moleculer copies or sends schemas, their marks are lost. */
  requiredQuery: readonly string[];
};

/**
 * Declares an action. The types of `ctx.params` follow from the path and the schemas.
 * @throws TypeError unless it has either a permission or a stated reason for being open, so that no action is deployed without one. Also
 * when `tool` is not a valid tool declaration, or when `acts` does not fit
 */
export function action<
  const R extends string = "",
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
  const C extends Contributions = Record<never, never>,
>(
  declaration: Omit<ActionDeclaration<P, Q, B>, "rest" | "page" | "contributes" | "prepare"> & {
    rest?: R;
    page?: R;
    contributes?: C;
    prepare?(ctx: ActionContext<ParamsOf<R, P, Q, B, C>>): Promise<unknown>;
    handler(this: never, ctx: ActionContext<ParamsOf<R, P, Q, B, C>>): unknown;
  },
): Action {
  if ((declaration.permission === undefined) === (declaration.open === undefined))
    throw new TypeError(
      `'${declaration.rest ?? declaration.page ?? declaration.summary}' needs either a permission or a reason for being open`,
    );
  const fault = toolFault(declaration);
  if (fault !== null) throw new TypeError(`'${declaration.rest ?? declaration.summary}' ${fault}`);
  requireActFits(declaration);
  const [method = "", urlPath = ""] = (declaration.rest ?? declaration.page)?.split(" ") ?? [];
  const { required = [] } = Type.Object(declaration.query ?? {}) as { required?: string[] };
  const query = isWalked(declaration) ? { ...declaration.query, ...CURSOR_QUERY } : declaration.query;
  return {
    ...declaration,
    ...ownCopies({ ...declaration, query }),
    method,
    urlPath,
    requiredQuery: required,
  } as unknown as Action;
}

/**
 * Copies schemas as plain JSON without shared parts: when Moleculer publishes an action to other nodes, it drops every object it meets a
 * second time, which would publish half a schema.
 */
function ownCopies({ path, query, body, returns, accepts, streams }: Partial<ActionDeclaration>): Partial<ActionDeclaration> {
  const copies = JSON.parse(JSON.stringify({ path, query, body, returns, accepts, streams }));
  for (const copy of Object.values(copies)) if (copy !== null) Object.setPrototypeOf(copy, Declared.prototype);
  return copies;
}

/**
 * A declared schema, which never changes. Moleculer clones every service two to four times when it creates it, and its `cloneDeep` passes an
 * object on as it is if it has a tag of its own: the schemas are nine tenths of a service.
 */
class Declared {
  get [Symbol.toStringTag](): string {
    return "Declared";
  }
}

/** @throws TypeError for an HTTP action that acts outside while it holds a transaction, or on a GET that is not marked as writing */
function requireActFits(declaration: Partial<ActionDeclaration>): void {
  const { acts, rest, page, prepare, streams, writes } = declaration;
  const road = rest ?? page;
  if (acts === undefined || road === undefined) return;
  if (!prepare && !streams) throw new TypeError(`'${road}' acts outside but has no prepare step`);
  if (road.startsWith("GET ") && !writes) throw new TypeError(`'${road}' acts outside, which is not allowed for a read`);
}

/** Names of the parameters in a path such as `/companies/:company_id`. */
export const pathParameters = (urlPath: string): string[] =>
  [...urlPath.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

const OF_A_ROW = new Set(["PATCH", "PUT", "DELETE"]);

/** True when `If-Match` applies to the row that an action changes (conventions §11). */
export const isConditional = ({ method, conditional }: Pick<Action, "method" | "conditional">): boolean =>
  conditional === true || OF_A_ROW.has(method);

/** True for actions that change something. */
export const isWrite = ({ method, writes }: Pick<Action, "method" | "writes">): boolean =>
  writes === true || (method !== "" && method !== "GET");

/** Success status of an action. */
export function successStatus({
  status,
  method,
  returns,
  returnsFile,
  streams,
}: Pick<Action, "status" | "method" | "returns" | "returnsFile" | "streams">): number {
  if (status !== undefined) return status;
  if (returnsFile !== undefined || streams !== undefined) return 200;
  if (!returns) return 204;
  return method === "POST" ? 201 : 200;
}
