import { type TProperties, type TSchema, Type } from "../schema/schema.ts";
import { CURSOR_QUERY, isWalked } from "./cursor-query.ts";
import type { StreamEvents } from "./event-stream.ts";
import type { InstanceNeed } from "./instance.ts";
import type {
  ActionContext,
  BodyType,
  ByPermission,
  Contributions,
  Effects,
  JsonAnswer,
  Limited,
  ParamsOf,
  Sent,
  WithoutPermission,
  Work,
} from "./options.ts";
import { type ToolDeclaration, toolFault } from "./tool.ts";

export type { ActionContext } from "./options.ts";

/** The options of `action()`. */
export interface ActionOptions<
  R extends string = string,
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
> extends Sent<R, P, Q, B>,
    ByPermission,
    JsonAnswer,
    Effects,
    Work<ParamsOf<R, P, Q, B>> {
  /** Makes the action an everyday tool for MCP clients; they find every other action through the search. */
  tool?: ToolDeclaration;
}

/** What makers declare, as the gateway, the checks and the OpenAPI document read it. */
interface ActionDeclaration
  extends Partial<Sent>,
    JsonAnswer,
    Effects,
    BodyType,
    Limited<"sign-in" | "account" | "client-registration">,
    Partial<ByPermission>,
    Partial<WithoutPermission> {
  summary: string;
  /** See `untenanted()`. */
  untenanted?: boolean;
  /** Largest body in bytes, if larger than `SERVICE_BODY_LIMIT`; of an untenanted call, if larger than 64 KiB. */
  mostBody?: number;
  /** See `passwordSignIn()`. */
  localSignIn?: true;
  /** Served for instance administrators on their own host alone, never to an organisation: what the caller needs there. */
  instance?: InstanceNeed;
  /** See `openAction()`. */
  cookie?: string;
  /** See `htmlPage()`. */
  page?: string;
  /** See `oauthEndpoint()`. */
  oauth?: "invalid_request" | "invalid_client_metadata";
  /** See `internal()`. */
  visibility?: "protected";
  /** See `download()`. */
  returnsFile?: string;
  /** See `report()`, and `download()`. */
  fromReplica?: true;
  /** See `stream()`. */
  streams?: StreamEvents;
  contributes?: Contributions;
  tool?: ToolDeclaration;
  acts?: "outside";
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

/** The options of one maker; those of the others are compile errors, also when they come in a spread object. */
export type Only<Options> = Options & { [Name in Exclude<keyof ActionDeclaration, keyof Options>]?: never };

/** The options of a maker whose calls need a permission or a reason for being open. */
export type EitherAccess<Options> = Only<Options & ByPermission> | Only<Options & WithoutPermission>;

/**
 * Declares an action of the API for holders of a permission, with a JSON response. The types of `ctx.params` follow from the path and the
 * schemas. Other makers: core/declare/makers.
 * @throws TypeError when `tool` is not a valid tool declaration, or when `acts` does not fit
 */
export const action = <
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>(
  declaration: Only<ActionOptions<R, P, Q, B>>,
): Action => declared(declaration);

/**
 * The action of a declaration, whichever maker it comes from.
 * @throws TypeError unless it has either a permission or a stated reason for being open, so that no action is deployed without one. Also
 * when `tool` is not a valid tool declaration, or when `acts` does not fit
 */
export function declared(declaration: ActionDeclaration & { handler: unknown }): Action {
  const { rest, page, summary, permission, open } = declaration;
  const road = rest ?? page;
  if ((permission === undefined) === (open === undefined))
    throw new TypeError(`'${road ?? summary}' needs either a permission or a reason for being open`);
  const fault = toolFault(declaration);
  if (fault !== null) throw new TypeError(`'${road ?? summary}' ${fault}`);
  requireActFits(declaration);
  const [method = "", urlPath = ""] = road?.split(" ") ?? [];
  const { required = [] } = Type.Object(declaration.query ?? {}) as { required?: string[] };
  const query = isWalked(declaration) ? { ...declaration.query, ...CURSOR_QUERY } : declaration.query;
  return {
    ...declaration,
    ...mostBodyOf(declaration),
    ...ownCopies({ ...declaration, query }),
    method,
    urlPath,
    requiredQuery: required,
  } as unknown as Action;
}

/** Characters of the longest text for which the usual limit of a body is enough. */
const USUAL_TEXT = 1024 * 1024;
/** Bytes of a body next to a longer text, which is ASCII. */
const REST_OF_BODY = 100_000;

/** `mostBody` of a body with a text that is longer than the usual limit. */
function mostBodyOf({ body }: ActionDeclaration): { mostBody?: number } {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, { maxLength?: number }> };
  const longest = Math.max(0, ...Object.values(properties).map(({ maxLength = 0 }) => maxLength));
  return longest > USUAL_TEXT ? { mostBody: longest + REST_OF_BODY } : {};
}

/**
 * Copies schemas as plain JSON without shared parts: when Moleculer publishes an action to other nodes, it drops every object it meets a
 * second time, which would publish half a schema.
 */
function ownCopies({
  path,
  query,
  body,
  returns,
  otherStatuses,
  streams,
}: Partial<ActionDeclaration>): Partial<ActionDeclaration> {
  const copies = JSON.parse(JSON.stringify({ path, query, body, returns, otherStatuses, streams }));
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

/** True for an action of one organisation: it declares who may call it, and runs for a caller there. */
export const isTenanted = ({
  permission,
  open,
  untenanted,
}: Pick<Partial<Action>, "permission" | "open" | "untenanted">): boolean =>
  (permission !== undefined || open !== undefined) && untenanted !== true;

/** True for actions that change something. */
export const isWrite = ({ method, writes }: Pick<Action, "method" | "writes">): boolean =>
  writes === true || (method !== "" && method !== "GET");

/** True for the reads that a replica may answer: paged lists, and what declares it. */
export const mayComeFromReplica = (action: Pick<Action, "method" | "writes" | "query" | "fromReplica">): boolean =>
  action.method === "GET" && !isWrite(action) && (action.fromReplica === true || Object.hasOwn(action.query ?? {}, "offset"));

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
