import type { Context } from "moleculer";
import type { Static, TObject, TProperties, TSchema } from "../schema/schema.ts";
import type { Meta } from "./principal.ts";

/** The context of a handler: path and query parameters by name, the body as `body`. */
export type ActionContext<Params = unknown> = Context<Params, Meta>;

/** Names of the parameters in a path such as `/companies/:company_id`. */
type PathNames<R extends string> = R extends `${string}/:${infer After}`
  ? After extends `${infer Name}/${infer Rest}`
    ? Name | PathNames<`/${Rest}`>
    : After
  : never;

/** The parameters of an action: those of its path, ids unless `path` declares otherwise, those of its query, and the body. */
export type ParamsOf<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined> = {
  [Name in PathNames<R> | keyof P]: Name extends keyof P ? Static<P[Name]> : string;
} & Static<TObject<Q>> &
  (B extends TSchema ? { body: Static<B> } : unknown);

/** What every action states. */
export interface Described {
  summary: string;
  description?: string;
  /** Exceptions to the checks of the generic suite, each with the clause that allows it. */
  exceptions?: Partial<
    Record<"anonymous" | "permission" | "tenancy" | "host" | "malformed" | "selection" | "statements", string>
  >;
}

/** Who may call: holders of a permission. */
export interface ByPermission {
  /** The catalogue permission that a caller needs. */
  permission: string;
  /** Permissions that are required as well. */
  also?: readonly string[];
  /** Its result concerns every client: a caller with a selection gets 403, whatever their permissions (conventions §5). */
  everyClient?: true;
  /** Requires a session, so a person who is present; a key gets 403, whatever its scopes. */
  sessionOnly?: true;
  /** The licence that its writes need, if not that of its permission. */
  licence?: string;
  /** Why a write of a licensed module does not need the licence. */
  licenceExempt?: string;
}

/** Who may call: anyone, within `needs`. */
export interface WithoutPermission {
  /** Why this action needs no permission. */
  open: string;
  /**
   * Who has access. Default `principal`, anyone signed in here. `administrator` requires a session of an instance administrator;
   * `everything` the service itself, or a caller who holds every permission and sees every client.
   */
  needs?: "nothing" | "session" | "administrator" | "principal" | "everything";
  /** Requires a session, so a person who is present; a key gets 403, where `needs: "session"` gives 401. */
  sessionOnly?: true;
  /** The licence that its writes need. */
  licence?: string;
  /** With `needs: "nothing"`: also runs while the organisation is suspended. */
  whileSuspended?: boolean;
  /** Acts for the person who signed in, even while they impersonate a client login. Actions that need a session always do. */
  asImpersonator?: true;
}

/** Where a call is reached and what it sends. */
export interface Sent<
  R extends string = string,
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
> extends Described {
  /** `METHOD /path/:parameter` under `/api/v1`. */
  rest: R;
  /** The last part of its public name, in camel case, where method and path do not say it. */
  verb?: string;
  path?: P;
  query?: Q;
  /** A text longer than 1 MiB, for instance a file in base64, raises the limit of the body (`SERVICE_BODY_LIMIT`) as far as it needs. */
  body?: B;
  example?: unknown;
  /** Error codes in addition to the usual ones of such an action. */
  errors?: readonly string[];
  /** Time limit in milliseconds, if longer than `SERVICE_REQUEST_TIMEOUT_MS`. */
  timeout?: number;
}

/** A JSON response. */
export interface JsonAnswer {
  returns?: TSchema | null;
  /** Success status; by default 201 for a POST with a response body, 200 for other methods with one, otherwise 204. */
  status?: number;
  /**
   * Further responses, each with its description. 202 has the schema of its body in place of one: the handler then returns an `Accepted` of
   * core/http/accepted.ts, and a job continues the work.
   */
  otherStatuses?: Record<number, string | TSchema>;
}

/** What a call changes. */
export interface Effects {
  /** A POST that changes the state of its row, so that `If-Match` applies to that row (conventions §11). */
  conditional?: boolean;
  /** A GET that may write, for instance a settings row created on first access. */
  writes?: boolean;
  /** The response contains a one-time secret: it is never stored for an idempotency key. */
  oneTime?: boolean;
}

/** The function that does the work, and the one before it. */
export interface Work<Params, Answer = unknown> {
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
  prepare?(ctx: ActionContext<Params>): Promise<unknown>;
  handler(this: never, ctx: ActionContext<Params>): Answer | Promise<Answer>;
}

/** A limit of its own, counted before any other check. */
export interface Limited<Name extends string> {
  /** Counts calls per address and host; see the limits in conventions §13. */
  limit?: Name;
}

/** The body of an HTML form. */
export const FORM = "application/x-www-form-urlencoded";

/** The media type of a body. */
export interface BodyType {
  /** By default JSON. */
  bodyType?: typeof FORM;
}

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
