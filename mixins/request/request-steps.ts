import type { Context } from "moleculer";
import { queryAll } from "../../core/database/query.ts";
import { type Action, isConditional } from "../../core/declare/action.ts";
import { EventStream } from "../../core/declare/event-stream.ts";
import type { Meta, Organisation } from "../../core/declare/principal.ts";
import { isApiError, notFound, refusal } from "../../core/errors/errors.ts";
import { FileAnswer } from "../../core/files/file-answer.ts";
import { discard, endStagedUploads } from "../../core/files/staged-uploads.ts";
import { Accepted } from "../../core/http/accepted.ts";
import { etagOf } from "../../core/http/etag.ts";
import {
  type HttpAnswer,
  type HttpParams,
  type RequestStore,
  requestStore,
  type StagedUpload,
} from "../../core/request/context.ts";
import { walkOf } from "../../core/request/walk.ts";
import { JsonText, WrittenRow } from "../../core/sql/json-text.ts";
import { Acting, type Recorded } from "../acting.ts";
import { beginStream } from "../streams.ts";
import type { Serve, ServedRequest } from "../wrappers.ts";
import { type Claim, claimKey, type Hold, holdKey, type Keyed, keyedCall, releaseKey, rememberedAnswer } from "./idempotency.ts";
import { type CopyParams, UNTIL, viewOf } from "./views-of-callers.ts";

/** The handler of an action. */
export type Run = (ctx: Context<unknown, Meta>) => Promise<unknown>;

/** An action with everything that its declaration compiles to, once at the start of the node. */
export interface CompiledAction {
  name: string;
  action: Action & { name: string };
  handler: Run;
  /** The steps of a run, in the wrappers of the service: tenancy, permission, licence. */
  serve: Serve;
  /** The check of a password sign-in, after the wrappers' checks (conventions §3.3). */
  localSignIn: ((organisation: Organisation) => void) | null;
  /** Reads path, query and body. @throws 422 */
  read: (http: HttpParams["$http"]) => unknown;
  mode: RequestStore["mode"];
  status: number;
  /** The field of the body that takes a file. */
  uploadField: string | undefined;
  /** Whether it returns pages that a cursor goes through. */
  isWalked: boolean;
  /** Whether a replica may answer it. */
  mayComeFromReplica: boolean;
}

/** Query parameters of a caller that keeps a copy, or walks through a list. */
const COPYING = ["updated_since", "since", "cursor"];

/** Number of statements in the last call of each action, for `explain`. */
export const lastStatements = new Map<string, number>();

/** A result that ends a request before its handler: the stored answer of an earlier request under the same key. */
interface Ended {
  answer: unknown;
}

/**
 * One request on its actor, from its gates to its answer (conventions §3.3, steps 6 to 11). A run that loses a race is repeated from the
 * first step; the key and the external acts stay with the request.
 */
export class ActionRequest implements ServedRequest {
  readonly #compiled: CompiledAction;
  readonly #ctx: Context<unknown, Meta>;
  readonly #http: HttpParams["$http"] | undefined;
  readonly #keyed: Keyed | undefined;
  readonly #acting: Acting;
  readonly #stagedUploads: StagedUpload[];
  #hold: Hold | undefined;
  /** The stream that the action described, and the answer that opens it. */
  #streamed: { described: EventStream; opening: HttpAnswer } | null = null;
  /** The current run, and after the request its last one. */
  #running: RequestStore | undefined;

  constructor(compiled: CompiledAction, ctx: Context<unknown, Meta>, recorded?: Recorded) {
    const { action, mode, uploadField } = compiled;
    this.#compiled = compiled;
    this.#ctx = ctx;
    this.#http = httpOf(ctx.params);
    this.#keyed = mode === "write" ? keyedBy(ctx, action, this.#http) : undefined;
    this.#acting = new Acting(action, ctx, recorded);
    this.#stagedUploads = uploadField === undefined ? [] : uploaded(this.#http?.body, uploadField);
  }

  get meta(): Meta {
    return this.#ctx.meta;
  }

  /** Serves the request. */
  serve(): Promise<unknown> {
    const { action, name } = this.#compiled;
    const served = this.#compiled.serve(this);
    const ended = action.prepare ? this.#released(served) : served;
    if (action.streams)
      return ended.then((made) =>
        this.#streamed
          ? { ...this.#streamed.opening, stream: beginStream(this.#ctx, name, action, this.#streamed.described) }
          : made,
      );
    return action.body || action.returnsFile !== undefined
      ? tidied(ended, this.#stagedUploads, () => this.#running?.kept)
      : ended;
  }

  async run(): Promise<unknown> {
    const { action, handler, localSignIn, isWalked } = this.#compiled;
    const running = this.#running as RequestStore;
    localSignIn?.(this.meta.organisation);
    this.#requireReadable();
    const prepared = action.prepare ? await this.#prepare(running) : null;
    if (prepared) return prepared.answer;
    const claim = this.#keyed ? await claimKey(running, this.#keyed, this.#hold) : null;
    if (claim && "replay" in claim) return this.#replayed(claim.replay);
    if (!action.prepare) this.#validate();
    if (this.#http) {
      const { meta, params } = this.#ctx;
      const view = await viewOf(meta, params as CopyParams, isWalked);
      if (isWalked) running.walk = walkOf(action, meta, params as object, view);
      else if (view.until !== undefined) running.headers[UNTIL] = view.until;
    }
    await this.#acting.record();
    const result = await settle(running, await handler(this.#ctx), claim === null);
    return this.#http ? this.#answer(result, running, claim) : this.#outcome(result, claim);
  }

  /** Step: the gateway could read the body. @throws the error it found */
  #requireReadable(): void {
    const unreadable = this.#http?.unreadable;
    if (unreadable) throw refusal(unreadable.code, unreadable.message, { fields: unreadable.fields });
  }

  /** Step: path, query and body are valid; a call by another actor has none. @throws 422 */
  #validate(): void {
    if (this.#http) this.#ctx.params = this.#compiled.read(this.#http);
  }

  /**
   * Step: the work before the transaction, once per key. Validation comes first, then the key is held, so that a twin waits for this
   * request.
   */
  async #prepare(running: RequestStore): Promise<Ended | null> {
    const isHeld = this.#hold !== undefined;
    if (this.#keyed && !isHeld) {
      const replay = await rememberedAnswer(running, this.#keyed);
      if (replay) return { answer: this.#replayed(replay) };
    }
    this.#validate();
    if (this.#keyed && !isHeld) {
      const held = await holdKey(running, this.#keyed);
      if ("replay" in held) return { answer: this.#replayed(held.replay) };
      this.#hold = held;
      await this.#acting.takeOver(held, running);
    }
    await this.#acting.prepare(this.#ctx, running);
    return null;
  }

  /** Step: the answer over HTTP, remembered under the request's key. */
  #answer(result: unknown, running: RequestStore, claim: Exclude<Claim, { replay: HttpAnswer }> | null): HttpAnswer {
    const { action, name, status } = this.#compiled;
    const isStream = result instanceof EventStream;
    const { walk } = running;
    if (walk?.until !== undefined && walk.isLast) running.headers[UNTIL] = walk.until;
    const made = httpAnswer(this.#compiled, isStream ? undefined : result, running);
    if (isStream) this.#streamed = { described: result, opening: { ...made, status } };
    claim?.remember(made, action.oneTime === true || made.file !== undefined || isStream);
    lastStatements.set(name, running.statements);
    return made;
  }

  /** Step: the outcome of a call by another actor, remembered like an answer. */
  #outcome(result: unknown, claim: Exclude<Claim, { replay: HttpAnswer }> | null): unknown {
    const outcome = result instanceof JsonText ? result.parse() : result instanceof Accepted ? result.body : result;
    claim?.remember({ status: this.#compiled.status, headers: {}, body: JSON.stringify(outcome) ?? null }, false);
    return outcome;
  }

  #replayed(replay: HttpAnswer): unknown {
    return this.#http ? replay : outcomeIn(replay);
  }

  /** Waits for the request, then gives back its key and, after a refusal, forgets its act. */
  async #released<T>(served: Promise<T>): Promise<T> {
    try {
      return await served;
    } catch (error) {
      await this.#acting.failed(error);
      if (this.#hold && this.#keyed) await releaseKey(this.#ctx.meta, this.#keyed, this.#hold, error);
      throw error;
    } finally {
      this.#hold?.end();
    }
  }

  begin(): RequestStore {
    const { name, action, mode } = this.#compiled;
    const { meta } = this;
    const { outside } = this.#acting;
    const http = this.#http;
    this.#streamed = null;
    delete outside.refused;
    this.#running = requestStore({
      action: name,
      mode,
      organisation: meta.organisation,
      principal: meta.principal,
      requestId: meta.requestId,
      cause: meta.cause,
      guarded: meta.principal?.kind !== "system" && !meta.hasActed && !outside.begun,
      outside,
      ifMatch: (isConditional(action) ? http?.ifMatch : null) ?? null,
      cookie: http?.cookie,
      lastEventId: http?.lastEventId,
      pageOrigin: http?.pageOrigin,
      isDirect: http !== undefined,
      stagedUploads: this.#stagedUploads,
      replica: this.#replica(),
    });
    return this.#running;
  }

  /**
   * The replicas that may answer: none for a copy, whose next instant only the primary knows, and none for later pages of a walk, which
   * must not be older than the first.
   */
  #replica(): RequestStore["replica"] {
    const http = this.#http;
    if (http?.readsAfter === undefined || !this.#compiled.mayComeFromReplica) return undefined;
    return COPYING.some((name) => http.parameters[name] !== undefined) ? undefined : { after: http.readsAfter };
  }
}

/** The result of a handler as an HTTP answer. */
function httpAnswer({ action, status }: CompiledAction, result: unknown, { headers, kept }: RequestStore): HttpAnswer {
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

/** The key of a call that must run once: a write with an `Idempotency-Key`, or a job's direct call. Calls nested in either have none. */
function keyedBy(
  { meta, level }: Context<unknown, Meta>,
  { method, name }: Action & { name: string },
  http?: HttpParams["$http"],
): Keyed | undefined {
  if (http) {
    const { idempotency, path } = http;
    return method !== "GET" && meta.principal && idempotency && path !== undefined ? { ...idempotency, path } : undefined;
  }
  return meta.once !== undefined && meta.principal?.kind === "system" && level === 1 ? keyedCall(meta.once, name) : undefined;
}

/** The stored outcome of a job's call. */
const outcomeIn = ({ body }: HttpAnswer): unknown => (body === null ? undefined : JSON.parse(body));

const httpOf = (params: unknown): HttpParams["$http"] | undefined => (params as Partial<HttpParams> | undefined)?.$http;
