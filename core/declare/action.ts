import type { Context } from "moleculer";
import type { StreamEvents } from "../http/event-stream.ts";
import type { Meta } from "../request/context.ts";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "./schema.ts";
import { type ToolDeclaration, toolFault } from "./tool.ts";

/** What an action adds to surfaces that other actors assemble from the live registry. */
export interface Contributions {
  /** A panel on the detail page of `entity`; the action gets `{company_id}` and gives the panel's data. */
  panel?: { entity: "company"; key: string; position: number; prominence?: "primary" | "register"; size?: "full" | "half" };
  /** A tile on the summary of `entity`; the action gives the tile without key and position, or null when there is nothing to show. */
  tile?: { entity: "company"; key: string; position: number };
  /**
   * Figures for many rows at once; the action gets `{ids}` and gives a record by id: `company.hours` the budget roll-up of companies,
   * `project.agreements` lists of the agreements that projects are linked to.
   */
  figures?: "company.hours" | "project.agreements";
  /**
   * What clients are billed for by the period; the action gets `{company_id}`, null for all clients, and gives a list of `RecurringSource`
   * of core/values, as far as the caller sees it.
   */
  recurring?: { source: "subscription" | "domain" };
}

/** Names of the parameters in a path such as `/companies/:company_id`. */
type PathNames<R extends string> = R extends `${string}/:${infer After}`
  ? After extends `${infer Name}/${infer Rest}`
    ? Name | PathNames<`/${Rest}`>
    : After
  : never;

/** What an action gets from those who assemble its contributions. */
type Contributed<C> = C extends { panel: object } | { tile: object }
  ? { company_id: string }
  : C extends { figures: string }
    ? { ids: string[] }
    : C extends { recurring: object }
      ? { company_id: string | null }
      : C extends { files: { parameter: infer Name extends string } }
        ? Record<Name, string>
        : unknown;

/** Parameters of an action: of its path, ids unless `path` says otherwise, of its query, and the body. */
type ParamsOf<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined, C> = {
  [Name in PathNames<R> | keyof P]: Name extends keyof P ? Static<P[Name]> : string;
} & Static<TObject<Q>> &
  (B extends TSchema ? { body: Static<B> } : unknown) &
  Contributed<C>;

/** What an `untenanted` action gets: everything of the request but credentials of ours. */
export interface UntenantedCall {
  parameters: Record<string, string>;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** The bytes of the body in base64; null where it is larger than `mostBody` (64 KiB unless declared) and was not read. */
  body: string | null;
}

/** The context of a handler: parameters of path and query by name, the body as `body`. */
export type ActionContext<Params = unknown> = Context<Params, Meta>;

/** One declaration: where it is reached, who may, what comes in, what goes out, what it does. */
export interface ActionDeclaration<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
> {
  /** `METHOD /path/:parameter` under `/api/v1`; without it the action is for other actors only. */
  rest?: string;
  /**
   * `METHOD /path/:parameter` of a page for people, in place of `rest`: outside `/api/v1`, no part of the reference, dressed by the gateway
   * as its own pages are. The handler gives a `PageMade`; what it throws becomes a page too, 403 and 422 the one of 404. Other actors are
   * called in `prepare` where it is a POST, and `bodyType` is that of forms.
   */
  page?: string;
  summary: string;
  description?: string;
  /** The catalogue permission a caller must hold; or else `open`. */
  permission?: string;
  /** Why this action needs no permission. */
  open?: string;
  /**
   * With `open`: who gets in. Default `principal`, anybody signed in here; `administrator` is a session of an instance administrator;
   * `everything` is the service itself, or a caller who holds every permission and sees every client.
   */
  needs?: "nothing" | "session" | "administrator" | "principal" | "everything";
  /** A key gets 403, whatever it may do: this takes a session, that is a person who is there. */
  sessionOnly?: true;
  /**
   * An endpoint of OAuth for programs: its refusals have the shape of RFC 6749 §5.2, under this name unless they carry one of their own,
   * nothing of it is kept, and as it takes no cookie it may be called from any origin.
   */
  oauth?: "invalid_request" | "invalid_client_metadata";
  /** Where it may be called from: by default from every node, `protected` from the actors of its own. */
  visibility?: "protected";
  /** Part of signing in by password: refused where the organisation enforces single sign-on (access §1.3). */
  localSignIn?: true;
  /** Name of a cookie beside the session's whose value it is given as `request().cookie`, without the prefix of core/http/host-cookie.ts. */
  cookie?: string;
  /** Counted per address and host before anything else; see the limits of conventions §13. */
  limit?: "sign-in" | "account" | "client-registration";
  /**
   * Serves on any host without organisation or principal: gets an `UntenantedCall` and answers `{status, body}`. Readiness, and callbacks
   * that name their organisation themselves; with `returns: null` whatever is answered has no body, a refusal of the gateway included.
   */
  untenanted?: boolean;
  /** With `needs: "nothing"`: serves while the organisation is suspended too. */
  whileSuspended?: boolean;
  /** Permissions demanded as well. */
  also?: readonly string[];
  /** What it shows or makes is about every client: a caller with a selection gets 403, whatever it holds (conventions §5). */
  everyClient?: true;
  /** With `open`: about the person who signed in, also while that person looks into a client's login. So is what needs a session. */
  asImpersonator?: true;
  /** The licence its writes need, where that is not the one of its permission. */
  licence?: string;
  /** A reason why a write of a licensed module is not gated. */
  licenceExempt?: string;
  path?: P;
  query?: Q;
  body?: B;
  bodyType?: "application/json" | "application/x-www-form-urlencoded";
  /** Largest body in bytes, where it may be larger than `SERVICE_BODY_LIMIT`; of an `untenanted` action, than 64 KiB. */
  mostBody?: number;
  /** Milliseconds it may take, where that is more than `SERVICE_REQUEST_TIMEOUT_MS`. */
  timeout?: number;
  returns?: TSchema | null;
  /** The answer where the handler gives an `Accepted` of core/http/accepted.ts: 202, as a job goes on with the work. */
  accepts?: TSchema;
  /** Media type of an answer that is a file, for instance `image/*`; the handler then gives a `FileAnswer`. */
  returnsFile?: string;
  /**
   * Events of an answer that is a stream (`text/event-stream`), each with the schema of its data; the handler then gives an `EventStream`.
   * One that declares `done` comes to an end by itself, the others last until their caller goes.
   */
  streams?: StreamEvents;
  /** Success status; default 201 for a POST with an answer, 200 with one, else 204. */
  status?: number;
  otherStatuses?: Record<number, string>;
  /** Error codes beyond the usual ones of its kind. */
  errors?: readonly string[];
  /** A POST that moves its row to another state, so that `If-Match` is about that row (conventions §11). */
  conditional?: boolean;
  /** A GET that may write, for instance a settings row made on first touch. */
  writes?: boolean;
  /** The answer shows a one-time secret: it is never remembered for an idempotency key. */
  oneTime?: boolean;
  /** Exceptions to the proofs of the generic suite, each with the clause that allows it. */
  exceptions?: Partial<
    Record<"anonymous" | "permission" | "tenancy" | "host" | "malformed" | "selection" | "statements", string>
  >;
  example?: unknown;
  contributes?: Contributions;
  /** The tool that it is for MCP clients every day; the search finds every other action for them. */
  tool?: ToolDeclaration;
  /**
   * Changes something outside of the service that it cannot undo: orders, sends, pays, asks a model. The platform then makes it once per
   * request: it proves the principal current right before the first such call, no longer compares it afterwards, and gives a later run what
   * `prepare` gave. Without it the request fails at its first such call (core/request/acts.ts). So does a call of an action that declares
   * it, from one that does not. What `prepare` gives is JSON, as it may be stored. The work's id is `request().workId`.
   */
  acts?: "outside";
  /**
   * Runs before the handler, on input that has been checked, and before the request has a transaction: for what must not hold a connection
   * or a lock, such as calls to other actors and work on bytes. What it gives is the handler's `prepared()`. Not run for a replay, and runs
   * again with the request unless it has acted outside.
   */
  prepare?: (ctx: ActionContext<never>) => Promise<unknown>;
}

/** A declaration with its handler; `this` is the service. */
export type Action = ActionDeclaration & {
  handler: (ctx: ActionContext<never>) => unknown;
  method: string;
  urlPath: string;
  /** Query parameters a caller must send. Kept beside the schemas, whose marks are lost when Moleculer copies or sends them. */
  requiredQuery: readonly string[];
};

/**
 * Declares an action. Types of `ctx.params` follow from the path and the schemas.
 * @throws TypeError when neither a permission nor a stated reason for being open is given: such an action must not be deployable; and for
 * a tool that is none, or `acts` where it does not fit
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
  return { ...declaration, ...ownCopies(declaration), method, urlPath, requiredQuery: required } as unknown as Action;
}

/**
 * Schemas as plain JSON, nothing shared between them: when Moleculer tells other nodes about an action it drops every object it meets a
 * second time, and half a schema would be published.
 */
function ownCopies({ path, query, body, returns, accepts, streams }: Partial<ActionDeclaration>): Partial<ActionDeclaration> {
  return JSON.parse(JSON.stringify({ path, query, body, returns, accepts, streams }));
}

/** @throws TypeError for an action of HTTP that acts outside where it holds a transaction, or behind a method that may be repeated at will */
function requireActFits(declaration: Partial<ActionDeclaration>): void {
  const { acts, rest, page, prepare, streams, writes } = declaration;
  const road = rest ?? page;
  if (acts === undefined || road === undefined) return;
  if (!prepare && !streams) throw new TypeError(`'${road}' acts outside and has no prepare to do it in`);
  if (road.startsWith("GET ") && !writes) throw new TypeError(`'${road}' acts outside, which a read may not`);
}

/** Names of the parameters in a path such as `/companies/:company_id`. */
export const pathParameters = (urlPath: string): string[] =>
  [...urlPath.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

const OF_A_ROW = new Set(["PATCH", "PUT", "DELETE"]);

/** True when `If-Match` is about the row an action changes (conventions §11). */
export const isConditional = ({ method, conditional }: Pick<Action, "method" | "conditional">): boolean =>
  conditional === true || OF_A_ROW.has(method);

/** True for the methods that change something. */
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
