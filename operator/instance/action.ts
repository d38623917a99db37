import type { ServiceBroker } from "moleculer";
import type pg from "pg";
import { type Action, declared } from "../../core/declare/action.ts";
import type { InstanceCaller, InstanceMeta, InstanceNeed } from "../../core/declare/instance.ts";
import type { ActionContext, JsonAnswer, Limited, ParamsOf, Sent } from "../../core/declare/options.ts";
import { forbidden, invalid, notFound, refusal, unauthorized } from "../../core/errors/errors.ts";
import { FileAnswer } from "../../core/files/file-answer.ts";
import { JobRefused } from "../../core/jobs/operating.ts";
import type { HttpAnswer, HttpParams } from "../../core/request/context.ts";
import type { TProperties, TSchema } from "../../core/schema/schema.ts";
import { compileInput } from "../../mixins/request/request-input.ts";
import { OperatorError } from "../organisations.ts";
import { asOwner } from "../owner.ts";
import { type ActFacts, recordAct } from "./audit.ts";
import { callerOf } from "./callers.ts";

/** A call of an instance action, in one transaction as the owner of the tables. */
export interface InstanceCall<Params> {
  params: Params;
  client: pg.PoolClient;
  /** The administrator; only absent where the action needs nothing. */
  caller: InstanceCaller;
  meta: InstanceMeta;
  /** The node that the call runs on. */
  broker: ServiceBroker;
  /** Makes the answer after the commit, for work that must not happen without it. */
  afterCommit(finish: () => Promise<unknown>): unknown;
  /** Adds a header to the answer. */
  header(name: string, value: string): void;
  /** Adds facts to the line of the audit. */
  note(facts: ActFacts): void;
}

/** An answer whose last part is made after the commit. */
class AfterCommit {
  readonly finish: () => Promise<unknown>;
  constructor(finish: () => Promise<unknown>) {
    this.finish = finish;
  }
}

/** A refusal after which the transaction still commits: what counts attempts must be kept. */
export class CommittedRefusal {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

interface InstanceActionOptions<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined>
  extends Omit<Sent<R, P, Q, B>, "exceptions">,
    Pick<JsonAnswer, "returns" | "status">,
    Partial<Pick<Action, "returnsFile">>,
    Limited<"sign-in"> {
  /** A capability, or who else may call. */
  needs: InstanceNeed;
  /** The name of the act in the audit; every change of the installation has one. */
  act?: string;
  /** The answer contains a secret that is shown once. */
  oneTime?: boolean;
  handler(call: InstanceCall<ParamsOf<R, P, Q, B>>): Promise<unknown>;
}

/** @throws 401 without a caller, 403 without the capability; nothing else decides who may call */
export function admit(needs: InstanceNeed, caller: InstanceCaller | null): void {
  if (needs === "nothing") return;
  if (!caller) throw unauthorized();
  if (needs !== "administrator" && !caller.capabilities.includes(needs)) throw forbidden();
}

/** An error as the API returns it: the sentence of the command line becomes a reason. */
function refused(error: unknown): unknown {
  return error instanceof OperatorError || error instanceof JobRefused
    ? refusal("instance_refused", undefined, { details: { reason: error.message } })
    : error;
}

/** @throws 404 for an organisation outside the limits of the caller's key, as if it did not exist */
export function requireWithin(caller: InstanceCaller, organisationId: string): void {
  if (caller.organisations !== null && !caller.organisations.includes(organisationId)) throw notFound();
}

/** @throws 403 for a caller whose key is limited to some organisations, where an act concerns the whole installation */
export function requireUnlimited(caller: InstanceCaller): void {
  if (caller.organisations !== null) throw forbidden();
}

/** 422 for one field. */
export const unfit = (field: string): Error => invalid({ [field]: "errors.validation" });

/**
 * Declares an action of the instance administrators' API, served on their host alone. It runs in one transaction as the owner of the tables,
 * with the line of the audit.
 * @throws TypeError for a change without an act
 */
export function instanceAction<
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>({ needs, act, handler, limit, ...declaration }: InstanceActionOptions<R, P, Q, B>): Action {
  if (!declaration.rest.startsWith("GET ") && act === undefined) throw new TypeError(`'${declaration.rest}' names no act`);
  let read: ReturnType<typeof compileInput> | undefined;
  const action: Action = declared({
    ...declaration,
    ...(limit !== undefined && { limit }),
    open: "the capabilities of instance administrators decide",
    needs: "nothing",
    untenanted: true,
    instance: needs,
    handler: async (ctx: ActionContext<HttpParams>): Promise<HttpAnswer> => {
      const meta = (ctx.meta as unknown as { instance: InstanceMeta }).instance;
      const headers: Record<string, string> = {};
      const made = await asOwner(async (client) => {
        const caller = await callerOf(client, meta.credential);
        admit(needs, caller);
        read ??= compileInput(action);
        const { $http: http } = ctx.params;
        if (http.unreadable) throw refusal(http.unreadable.code, http.unreadable.message, { fields: http.unreadable.fields });
        const facts: ActFacts = {};
        const call = {
          params: read(http) as ParamsOf<R, P, Q, B>,
          client,
          caller: caller as InstanceCaller,
          meta,
          broker: ctx.broker,
          afterCommit: (finish: () => Promise<unknown>) => new AfterCommit(finish),
          header: (name: string, value: string) => void (headers[name] = value),
          note: (added: ActFacts) => void Object.assign(facts, added),
        };
        if (act !== undefined && caller)
          await client.query("select set_config('app.operator', $1, true)", [caller.administrator.email]);
        const answer = await handler(call);
        if (act !== undefined && !(answer instanceof CommittedRefusal)) await recordAct(client, act, caller, meta, facts);
        return answer;
      }).catch((error: unknown) => {
        throw refused(error);
      });
      if (made instanceof CommittedRefusal) throw made.error;
      const result = made instanceof AfterCommit ? await made.finish() : made;
      if (result instanceof FileAnswer)
        return { status: 200, headers: { ...headers, ...result.headers }, body: null, file: result.file };
      const status = declaration.status ?? (result === undefined ? 204 : 200);
      return { status, headers, body: result === undefined ? null : JSON.stringify(result) };
    },
  });
  return action;
}
