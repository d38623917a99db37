import type { Context } from "moleculer";
import { newId } from "../core/database/model.ts";
import { type Action, isWrite } from "../core/declare/action.ts";
import type { Meta } from "../core/declare/principal.ts";
import { isApiError } from "../core/errors/errors.ts";
import type { HttpParams, OutsideActs, RequestStore } from "../core/request/context.ts";
import { forgetAct, RECORDS, recordAct, type StoredAct, storeAct, storedAct } from "./outside-acts.ts";
import type { Hold } from "./request/idempotency.ts";

/**
 * Whether an external act is stored until it is recorded. It is for a signed-in caller, as with an `Idempotency-Key`, and for a job that
 * must act only once. Not for pages, which leave it to the action they call, nor for streams, which act after their answer has begun.
 */
function isStored(action: Action, { meta, params, level }: Context<unknown, Meta>): boolean {
  if (action.acts !== "outside" || !isWrite(action) || action.streams || action.returnsFile) return false;
  if (meta.once !== undefined && level === 1) return true;
  return action.rest !== undefined && meta.principal !== null && "$http" in (params as Partial<HttpParams>);
}

/** The external acts of one request, from its `prepare` to the transaction that records them. */
export class Acting {
  readonly outside: OutsideActs;
  readonly #action: Action & { name: string };
  readonly #meta: Meta;
  /** The parameters as received. */
  readonly #call: unknown;
  readonly #stores: boolean;
  #id: string | undefined;
  #isRecording = false;
  #mayHaveActed = false;

  constructor(action: Action & { name: string }, ctx: Context<unknown, Meta>, recorded?: Recorded) {
    this.#action = action;
    this.#meta = ctx.meta;
    this.#call = ctx.params;
    this.outside = { declared: action.acts === "outside", begun: false };
    this.#stores = isStored(action, ctx);
    if (recorded) this.#resume(recorded.id, recorded.stored);
  }

  #resume(id: string, { kept }: StoredAct): void {
    this.#id = id;
    Object.assign(this.outside, { begun: true, stored: true, outcome: kept });
  }

  /** Resumes the request that held the key before, if that request has acted. */
  async takeOver({ workId, isTakenOver }: Hold, running: RequestStore): Promise<void> {
    this.#id ??= workId;
    if (!isTakenOver || this.outside.outcome) return;
    const stored = this.#stores ? await storedAct(running.organisation, workId) : null;
    if (!stored) {
      this.#mayHaveActed = true;
      return;
    }
    this.#resume(workId, stored);
    running.guarded = false;
  }

  /**
   * Runs `prepare` as a read, so its statements open no transaction. If it has already acted externally, it does not run again: a later run
   * of the request reuses the result of the first.
   */
  async prepare(ctx: Context<unknown, Meta>, running: RequestStore): Promise<void> {
    const { outside } = this;
    if (outside.declared) Object.assign(running, { workId: (this.#id ??= newId()), mayHaveActed: this.#mayHaveActed });
    if (!outside.outcome) {
      const { mode } = running;
      running.mode = "read";
      running.prepared = await this.#action.prepare?.(ctx as Context<never, Meta>);
      running.mode = mode;
      if (!outside.begun) return;
      outside.outcome = { prepared: running.prepared, ifMatchCompared: running.ifMatchCompared, headers: { ...running.headers } };
      if (this.#stores) await this.#store(running.workId as string);
    }
    const { prepared, ifMatchCompared, headers } = outside.outcome;
    running.prepared = prepared;
    running.ifMatchCompared = ifMatchCompared;
    Object.assign(running.headers, headers);
  }

  async #store(id: string): Promise<void> {
    const { organisation: _, ...meta } = this.#meta;
    this.outside.outcome = await storeAct(id, this.#action.name, { call: this.#call, meta, kept: this.outside.outcome as never });
    this.outside.stored = true;
  }

  /** Removes the act from the store, in the transaction of the handler that records it. @throws 503 if it is already recorded */
  async record(): Promise<void> {
    if (!this.outside.stored) return;
    this.#isRecording = true;
    await recordAct(this.#id as string);
  }

  /** Forgets the act if the request was rejected while recording it; if the outcome is unknown, the act stays. */
  async failed(error: unknown): Promise<void> {
    if (this.#isRecording && isApiError(error) && error.code < 500) await forgetAct(this.#meta.organisation, this.#id as string);
  }
}

/** A stored act that a job records. */
export interface Recorded {
  id: string;
  stored: StoredAct;
}

/** The id of the act that the job's call records; undefined for every other call. */
export function recordedId({ acts }: Action, { params, meta }: Context<unknown, Meta>): string | undefined {
  const id = (params as Record<string, unknown> | undefined)?.[RECORDS];
  return acts === "outside" && meta.principal?.kind === "system" && typeof id === "string" ? id : undefined;
}

/**
 * Turns the job's call into the original one, in the organisation's current state; null if the act is recorded already or undecryptable.
 */
export async function recordedCall(id: string, ctx: Context<unknown, Meta>): Promise<Recorded | null> {
  const { organisation } = ctx.meta;
  const stored = await storedAct(organisation, id);
  if (!stored?.call) return null;
  ctx.params = stored.call;
  Object.assign(ctx.meta, stored.meta, { organisation });
  return { id, stored };
}
