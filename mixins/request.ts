import type { Context, Middleware, ServiceBroker, ServiceSchema } from "moleculer";
import { JsonText, WrittenRow } from "../core/database/json-text.ts";
import { queryAll } from "../core/database/query.ts";
import { updatedUntil } from "../core/database/updated-until.ts";
import { type Action, isConditional, isWrite, pathParameters, successStatus } from "../core/declare/action.ts";
import { findError, invalid, isApiError, notFound, type RefusalParts, refusal } from "../core/declare/errors.ts";
import { unknownQuery } from "../core/declare/query-names.ts";
import {
  type Check,
  compileBody,
  compileParameters,
  ofChange,
  readInstant,
  type TProperties,
  uuid,
} from "../core/declare/schema.ts";
import { FileAnswer } from "../core/files/file-answer.ts";
import { discard, endStagedUploads } from "../core/files/staged-uploads.ts";
import type { StagedUpload } from "../core/files/storage.ts";
import { compileForm, uploadField } from "../core/files/upload.ts";
import { Accepted } from "../core/http/accepted.ts";
import { etagOf } from "../core/http/etag.ts";
import { EventStream } from "../core/http/event-stream.ts";
import type { HttpAnswer, HttpParams, Meta, OutsideActs, RequestStore } from "../core/request/context.ts";
import { Acting, type Recorded, recordedCall, recordedId } from "./acting.ts";
import { callsOf, type Send } from "./calls.ts";
import { claimKey, type Hold, holdKey, type Keyed, keyedCall, releaseKey, rememberedAnswer } from "./idempotency.ts";
import { licenceGate } from "./licence.ts";
import { localSignInGate } from "./local-sign-in.ts";
import { permissionGate } from "./permission.ts";
import { beginStream } from "./streams.ts";
import { inTenancy } from "./tenancy.ts";

type Run = (ctx: Context<unknown, Meta>) => Promise<unknown>;

/** Number of statements in the last call of each action, for `explain`. */
export const lastStatements = new Map<string, number>();

/** Compiles the action's schemas into one reader of parameters and body. */
function compileInput(action: Action): (http: HttpParams["$http"]) => unknown {
  const names = pathParameters(action.urlPath);
  const path: TProperties = Object.fromEntries(names.map((name) => [name, action.path?.[name] ?? uuid()]));
  const query = action.query ?? {};
  const parameters = compileParameters({ ...path, ...query }, [...names, ...action.requiredQuery]);
  const unknown = unknownQuery(action, names);
  const form = compileForm(action.body);
  const isChange = action.method === "PATCH";
  const body: Check | null =
    action.body && !form ? compileBody(isChange ? ofChange(action.body) : action.body, action.method === "POST") : null;
  // One answer reports all errors in path, query and body (conventions §9).
  return ({ parameters: raw, body: given }) => {
    const [values, wrong] = fieldsThrown(() => parameters(raw));
    const unread = unknown?.(raw);
    const misplaced = unread ? { ...wrong, ...unread.fields } : wrong;
    if (form) {
      const sent = (given ?? {}) as Record<string, unknown>;
      const [texts, unfit] = fieldsThrown(() => form.texts(sent));
      const [file, untaken, refused] = fieldsThrown(() => form.file(sent));
      // If only the file is rejected, the error keeps its own message (conventions §18).
      if (refused && !misplaced && !unfit) throw refused;
      if (misplaced || unfit || untaken) throw invalid({ ...unfit, ...untaken, ...misplaced });
      return { ...values, body: { ...texts, ...file } };
    }
    if (!body) {
      if (misplaced) throw invalid(misplaced, unread?.details);
      return values;
    }
    const [, unfit, refused] = fieldsThrown(() => {
      if (given === undefined) throw invalid({ _: "errors.required" });
      body(given);
    });
    if (refused && !misplaced) throw refused;
    if (misplaced) throw invalid({ ...unfit, ...misplaced }, unread?.details);
    return { ...values, body: given };
  };
}

/** The result of `check`, or the fields of its 422 and the error itself. */
function fieldsThrown<T>(check: () => T): [T, null, null] | [null, Record<string, string>, Error] {
  try {
    return [check(), null, null];
  } catch (error) {
    if (!isApiError(error) || error.code !== 422) throw error;
    return [null, (error.data as RefusalParts).fields ?? {}, error];
  }
}

/** @throws TypeError for an error that no module declares */
function requireErrors(name: string, { errors = [] }: Action): void {
  for (const declared of errors)
    if (!findError(declared)) throw new TypeError(`${name} declares the error '${declared}', which no module.ts declares`);
}

/** A stream described by an action, and the answer that opens it. */
interface Streamed {
  described: EventStream;
  opening: HttpAnswer;
}

/** Wraps one of our actions in the steps of a request (conventions §3.3, steps 6 to 11). */
function wrap(name: string, action: Action & { name: string }, next: Run, standIns: readonly string[]): Run {
  const permitted = permissionGate(name, action, standIns);
  requireErrors(name, action);
  const licensed = licenceGate(action);
  const local = localSignInGate(action);
  const read = compileInput(action);
  const mode = isWrite(action) ? "write" : "read";
  const status = successStatus(action);
  const takes = uploadField(action.body);

  const store = (
    meta: Meta,
    http: HttpParams["$http"] | undefined,
    stagedUploads: StagedUpload[],
    outside: OutsideActs,
  ): RequestStore => ({
    action: name,
    mode,
    organisation: meta.organisation,
    principal: meta.principal,
    requestId: meta.requestId,
    cause: meta.cause,
    verified: false,
    guarded: meta.principal?.kind !== "system" && !meta.acted && !outside.begun,
    transaction: null,
    statements: 0,
    attempt: 1,
    outdated: false,
    anew: false,
    committed: false,
    mayBeKept: false,
    outside,
    retryableConstraints: new Set(),
    ifMatch: (isConditional(action) ? http?.ifMatch : null) ?? null,
    ifMatchCompared: false,
    cookie: http?.cookie,
    lastEventId: http?.lastEventId,
    pageOrigin: http?.pageOrigin,
    headers: {},
    stagedUploads,
    kept: new Map(),
  });

  const answer = (result: unknown, { headers, kept }: RequestStore): HttpAnswer => {
    if (result instanceof FileAnswer) {
      if ("once" in result.file && result.file.once) kept.set(result.file.place.id, result.file.place.id);
      return { status, headers: { ...headers, ...result.headers }, body: null, file: result.file };
    }
    if (result instanceof JsonText)
      return {
        status,
        headers: result.version === null ? headers : { ...headers, ETag: etagOf(result.version) },
        body: result.text,
      };
    if (result instanceof Accepted) return { status: 202, headers, body: JSON.stringify(result.body) };
    if (result === undefined) return { status: action.otherStatuses?.[204] ? 204 : status, headers, body: null };
    return { status, headers, body: JSON.stringify(result) };
  };

  const serve = (ctx: Context<unknown, Meta>, recorded?: Recorded): Promise<unknown> => {
    const begun = ({ described, opening }: Streamed): HttpAnswer => ({
      ...opening,
      stream: beginStream(ctx, name, action, described),
    });
    const http = httpOf(ctx.params);
    const keyed = mode === "write" ? keyedBy(ctx, action, http) : undefined;
    let hold: Hold | undefined;
    const acting = new Acting(action, ctx, recorded);
    const { outside } = acting;
    let streamed = null as Streamed | null;
    const stagedUploads: StagedUpload[] = takes ? uploaded(http?.body, takes.field) : [];
    let last: RequestStore | undefined;
    const served = inTenancy(
      () => {
        streamed = null;
        delete outside.refused;
        return (last = store(ctx.meta, http, stagedUploads, outside));
      },
      async (running) => {
        const { principal } = ctx.meta;
        permitted(principal);
        licensed?.(principal);
        local?.(ctx.meta.organisation);
        const replayed = (replay: HttpAnswer) => (http ? replay : outcomeIn(replay));
        if (http?.unreadable) throw refusal(http.unreadable.code, http.unreadable.message, { fields: http.unreadable.fields });
        if (action.prepare) {
          const replay = keyed && !hold ? await rememberedAnswer(running, keyed) : null;
          if (replay) return replayed(replay);
          if (http) ctx.params = read(http);
          if (keyed && !hold) {
            const held = await holdKey(running, keyed);
            if ("replay" in held) return replayed(held.replay);
            hold = held;
            await acting.takeOver(held, running);
          }
          await acting.prepare(ctx, running);
        }
        const claim = keyed ? await claimKey(running, keyed, hold) : null;
        if (claim && "replay" in claim) return replayed(claim.replay);
        if (http && !action.prepare) ctx.params = read(http);
        if (http) await noteUntil(ctx.params, running);
        await acting.record();
        const result = await settle(running, await next(ctx), claim === null);
        if (!http) {
          const outcome = result instanceof JsonText ? result.parse() : result instanceof Accepted ? result.body : result;
          claim?.remember({ status, headers: {}, body: JSON.stringify(outcome) ?? null }, false);
          return outcome;
        }
        const isStream = result instanceof EventStream;
        const made = answer(isStream ? undefined : result, running);
        if (isStream) streamed = { described: result, opening: { ...made, status } };
        claim?.remember(made, action.oneTime === true || made.file !== undefined || isStream);
        lastStatements.set(name, running.statements);
        return made;
      },
    );
    const ended = action.prepare
      ? served
          .catch(async (error: unknown) => {
            await acting.failed(error);
            if (hold && keyed) await releaseKey(ctx.meta, keyed, hold, error);
            throw error;
          })
          .finally(() => hold?.end())
      : served;
    if (action.streams) return ended.then((made) => (streamed ? begun(streamed) : made));
    return action.body || action.returnsFile !== undefined ? tidied(ended, stagedUploads, () => last?.kept) : ended;
  };
  return (ctx) => {
    const id = recordedId(action, ctx);
    if (id === undefined) return serve(ctx);
    return recordedCall(id, ctx).then((recorded) => recorded && serve(ctx, recorded));
  };
}

/** Reports the next `updated_since` to a caller that requests changes since an instant (conventions §10). */
async function noteUntil(params: unknown, running: RequestStore): Promise<void> {
  const { updated_since: since } = params as { updated_since?: string };
  if (since !== undefined) running.headers["Updated-Until"] = await updatedUntil(readInstant(since) as string);
}

/** The staged upload in a request's body, as a list. */
function uploaded(body: unknown, field: string): StagedUpload[] {
  const file = (body as Record<string, StagedUpload | undefined> | undefined)?.[field];
  return file?.id === undefined ? [] : [file];
}

/**
 * Waits for a request and removes its uploads that were not kept. If the commit is uncertain, or the gateway will retry, all uploads stay;
 * the nightly maintenance removes unneeded ones.
 */
async function tidied<T>(
  served: Promise<T>,
  stagedUploads: readonly StagedUpload[],
  kept: () => RequestStore["kept"] | undefined,
): Promise<T> {
  try {
    const made = await served;
    if (stagedUploads.length > 0) await endStagedUploads(stagedUploads, kept() ?? new Map());
    return made;
  } catch (error) {
    if (isApiError(error) && error.code < 500) await discard(stagedUploads);
    throw error;
  }
}

/** Reads the row that answers a write, in one message with the commit unless another write follows. */
async function settle(running: RequestStore, result: unknown, isLast: boolean): Promise<unknown> {
  if (!(result instanceof WrittenRow)) return result;
  const { transaction } = running;
  const commits = isLast && transaction !== null && (running.ifMatch === null || running.ifMatchCompared);
  if (commits) {
    await transaction.settle();
    running.transaction = null;
  }
  const [rows] = commits ? await transaction.commit([result.bound]) : await queryAll(result.bound);
  const row = rows?.[0] as { version: number; body: string } | undefined;
  if (!row) throw notFound();
  return new JsonText(result.complete(row.body), row.version);
}

/** The key of a call that must run once: a POST with an `Idempotency-Key`, or a job's direct call. Calls nested in either have none. */
function keyedBy(
  { meta, level }: Context<unknown, Meta>,
  { method, name }: Action & { name: string },
  http?: HttpParams["$http"],
): Keyed | undefined {
  if (http) return method === "POST" && meta.principal && http.idempotency ? { ...http.idempotency, path: http.path } : undefined;
  return meta.once !== undefined && meta.principal?.kind === "system" && level === 1 ? keyedCall(meta.once, name) : undefined;
}

/** The stored outcome of a job's call. */
const outcomeIn = ({ body }: HttpAnswer): unknown => (body === null ? undefined : JSON.parse(body));

const httpOf = (params: unknown): HttpParams["$http"] | undefined => (params as Partial<HttpParams> | undefined)?.$http;

/**
 * The broker middleware that enforces `permission`, `rest`, `body` and the rest of a declaration.
 * @param standIns modules without a folder whose permissions actors of tests require
 */
export function requestMiddleware(standIns: readonly string[] = []): Middleware {
  let broker: ServiceBroker | undefined;
  return {
    name: "Request",
    created(made) {
      broker = made;
    },
    localAction(next, definition) {
      const action = definition as unknown as Action & { name: string };
      if ((action.permission === undefined && action.open === undefined) || action.untenanted) return next;
      return wrap(action.name, action, next as Run, standIns);
    },
    call(next) {
      return callsOf(() => broker, next as unknown as Send) as never;
    },
  };
}

/**
 * Rejects a service with an action that declares neither a permission nor a reason to be open.
 * @throws TypeError naming the action
 */
export function auditService(schema: ServiceSchema): ServiceSchema {
  for (const [name, action] of Object.entries(schema.actions ?? {})) {
    const { permission, open, visibility } = (action || {}) as Omit<Partial<Action>, "visibility"> & { visibility?: string };
    if (action && permission === undefined && open === undefined && visibility !== "private")
      throw new TypeError(`${schema.name}.${name} declares neither a permission nor why it is open`);
  }
  return schema;
}
