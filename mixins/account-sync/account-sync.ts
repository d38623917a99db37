import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "../../core/config/runtime.ts";
import { column, type Model, type RowOf, type UpdateOf } from "../../core/database/model.ts";
import { enqueue, query, queryOne, queryOutside } from "../../core/database/query.ts";
import { lock as lockRow, queueUpdate } from "../../core/database/write.ts";
import { notFound, refusal } from "../../core/errors/errors.ts";
import type { DueRows } from "../../core/jobs/due-rows.ts";
import { type Jobs, job, type OrganisationRun, schedule } from "../../core/jobs/jobs.ts";
import { redact } from "../../core/outbound/redact.ts";
import { request } from "../../core/request/context.ts";
import { SYSTEM } from "../../core/request/system.ts";
import { statement } from "../../core/sql/statement.ts";
import { inOwnTransaction } from "../tenancy.ts";
import { syncMoment } from "./sync-moments.ts";

/** Longest duration of a sync, in milliseconds. */
const LONGEST = 900_000;
/** Minutes after which an unfinished sync counts as lost, so that a new one can be requested. */
const LOST = 30;
/** First and longest pause between two polls for the end of a sync, in milliseconds. */
const FIRST_LOOK = 20;
const LONGEST_LOOK = 250;

/** The requester of a sync, for its trail entries. */
export interface SyncActor {
  accountId: string | null;
  serviceAccountId: string | null;
  name: string | null;
}

/** Columns of the model of synced accounts; their table has `ACCOUNT_SYNC` of migrations/before-0.3/0025-assets/account-sync.ts. */
export const syncColumns = {
  sync_asked: column.integer().withDefault(),
  sync_ended: column.integer().withDefault(),
  sync_asked_at: column.instant().orNull(),
  sync_asked_by: column.json<SyncActor>().orNull(),
  sync_result: column.json().orNull(),
};

type Synced = Model<typeof syncColumns & Record<"active", ReturnType<typeof column.boolean>>> | Model;

/** A sync of one account. It holds no connection outside `read` and `write`, so call the provider there. */
export interface SyncRun extends Pick<OrganisationRun, "id" | "organisation" | "signal" | "logger" | "read" | "write" | "call"> {
  accountId: string;
}

/** The outcome of a sync. */
export interface SyncEnd<M extends Model, R> {
  /** The result for all waiting callers. */
  result: R;
  /** The columns to store on the account, from its row at the end: a member may have changed it during the calls. */
  account: (now: RowOf<M>) => UpdateOf<M>;
}

/** The accounts of one provider, and how to sync one of them. */
export interface AccountSyncSpec<M extends Model, R> {
  /** Name of its job, such as `edge.sync`. */
  job: string;
  /** The licensed module. */
  module: string;
  about: string;
  /** Has `syncColumns` and `active`. */
  model: M;
  /** Active accounts, in a `*.due.ts` file. */
  due: DueRows;
  /**
   * Reads the provider's lists and stores them. A refusal by the provider is part of the result; a thrown error counts as our fault and is
   * retried. Undefined if the account was deleted meanwhile.
   */
  sync(run: SyncRun): Promise<SyncEnd<M, R> | undefined>;
  /** The outcome of a sync that failed permanently through our fault. @param error redacted */
  gaveUp(error: string): SyncEnd<M, R>;
}

/** Account syncs as endpoints and jobs use them (assets §5.12). */
export interface AccountSync<R> {
  /** The actor's `jobs`. */
  jobs: Jobs;
  /**
   * Requests a sync, or joins the running one, and waits for its end. Call it in `prepare`, so that no connection is held. The sync
   * completes even if the caller or this node goes away.
   * @throws 404, and 503 when it takes longer than the request timeout
   */
  join(accountId: string): Promise<R>;
}

interface State {
  sync_asked: number;
  sync_ended: number;
  sync_result: unknown;
  sync_asked_by: SyncActor | null;
}

/** The payload of a sync's job. */
type RequestedSync = { account_id: string; number: number };
type Due = { id: string; last_asked: string };

/** The statements of one provider's accounts. The organisation is `$1`, the account `$2`. */
const statementsOf = (table: string) => ({
  lock: statement(`select sync_asked, sync_asked > sync_ended and sync_asked_at > now() - interval '${LOST} minutes' as under_way
    from ${table} where organisation_id = $1 and id = $2 for update`),
  ask: statement(`update ${table} set sync_asked = $3, sync_asked_at = now(), sync_asked_by = $4
    where organisation_id = $1 and id = $2`),
  state: statement(`select sync_asked, sync_ended, sync_result, sync_asked_by from ${table}
    where organisation_id = $1 and id = $2`),
  end: statement(
    `update ${table} set sync_ended = $3, sync_result = $4 where organisation_id = $1 and id = $2 and sync_ended < $3`,
  ),
  due: statement(
    `select id, coalesce(sync_asked_at, created_at) as last_asked from ${table} where organisation_id = $1 and active`,
  ),
  active: statement(`select 1 from ${table} where organisation_id = $1 and id = $2 and active`),
});

/** Runs at most one sync per account over all nodes, as a job that every caller joins. */
export function accountSync<M extends Model, R extends object>(spec: AccountSyncSpec<M, R>): AccountSync<R> {
  const syncs = new ProviderSyncs(spec);
  return { join: (accountId) => syncs.join(accountId), jobs: syncs.jobs() };
}

/** The syncs of one provider's accounts. */
class ProviderSyncs<M extends Model, R extends object> {
  readonly #spec: AccountSyncSpec<M, R>;
  readonly #statements: ReturnType<typeof statementsOf>;

  constructor(spec: AccountSyncSpec<M, R>) {
    this.#spec = spec;
    this.#statements = statementsOf((spec.model as Synced).table);
  }

  async join(accountId: string): Promise<R> {
    const number = await inOwnTransaction(() => this.#ask(accountId));
    const deadline = Date.now() + runtime().config.requestTimeout;
    for (let pause = FIRST_LOOK; Date.now() < deadline; pause = Math.min(pause * 1.5, LONGEST_LOOK)) {
      const state = await queryOutside<State>(this.#statements.state, [request().organisation.id, accountId]);
      if (!state) throw notFound();
      if (state.sync_ended >= number) return state.sync_result as R;
      await sleep(pause);
    }
    throw refusal("unavailable");
  }

  /** The number of the sync to wait for. @throws 404 */
  async #ask(accountId: string): Promise<number> {
    const { lock, ask } = this.#statements;
    const { organisation, principal } = request();
    const account = await queryOne<{ sync_asked: number; under_way: boolean | null }>(lock, [organisation.id, accountId]);
    if (!account) throw notFound();
    if (account.under_way) return account.sync_asked;
    const number = account.sync_asked + 1;
    const { accountId: person = null, serviceAccountId = null, name: called = null } = principal ?? {};
    const actor: SyncActor = { accountId: person, serviceAccountId, name: called };
    enqueue(ask, [organisation.id, accountId, number, JSON.stringify(actor)]);
    schedule(this.#spec.job, { account_id: accountId, number }, { key: accountId });
    return number;
  }

  jobs(): Jobs {
    const { job: name, about, module } = this.#spec;
    return {
      [name]: job<RequestedSync>({
        about,
        module,
        concurrency: 4,
        timeout: LONGEST,
        lock: 10_000,
        retry: { attempts: 3, backoff: { first: 2_000, factor: 3 } },
        handler: (running) => this.#run(running),
      }),
      [`${name}.due`]: job<{ account_id: string }>({
        about: `${about}, by the clock`,
        module,
        handler: (running) => this.#askDue(running),
      }),
      [`${name}.look`]: {
        about: `Schedules syncs: ${about}`,
        module,
        schedule: "0 * * * *",
        due: this.#spec.due,
        handler: (running) => this.#scheduleDue(running),
      },
    };
  }

  async #run(running: OrganisationRun<RequestedSync>): Promise<void> {
    const { id, organisation, signal, logger, read, payload, call } = running;
    const { account_id: accountId, number } = payload;
    const state = await read(() => queryOne<State>(this.#statements.state, [organisation.id, accountId]));
    // The account was deleted, or an earlier attempt stored the result and then failed.
    if (!state || state.sync_ended >= number) return;
    const actor = state.sync_asked_by;
    const write = <T>(work: () => Promise<T>): Promise<T> =>
      running.write(() => {
        if (actor) request().principal = { ...SYSTEM, ...actor };
        return work();
      });
    try {
      const done = await this.#spec.sync({ id, organisation, signal, logger, read, write, call, accountId });
      // A node that shuts down requeues the job; an aborted sync must not be stored as a result.
      signal.throwIfAborted();
      if (done) await write(() => this.#end(payload, done));
    } catch (error) {
      if (!running.lastAttempt) throw error;
      await write(() => this.#end(payload, this.#spec.gaveUp(redact((error as Error).message))));
      throw error;
    }
  }

  /** Stores the outcome of a sync, unless the account was deleted meanwhile. */
  async #end({ account_id: accountId, number }: RequestedSync, { result, account }: SyncEnd<M, R>): Promise<void> {
    const { model } = this.#spec;
    const now = await lockRow(model, accountId);
    if (!now) return;
    queueUpdate(model, accountId, account(now) as never);
    enqueue(this.#statements.end, [request().organisation.id, accountId, number, JSON.stringify(result)]);
  }

  /** Schedules the accounts that are due before the next look. */
  async #scheduleDue(running: OrganisationRun): Promise<void> {
    const { accountSyncHours: hours } = runtime().config;
    if (hours === 0) return;
    const accounts = await running.read(() => query<Due>(this.#statements.due, [running.organisation.id]));
    await running.write(async () => {
      for (const { id, last_asked } of accounts) {
        const runAt = syncMoment(id, hours, last_asked, Date.now());
        if (runAt) schedule(`${this.#spec.job}.due`, { account_id: id }, { runAt, dedupe: id });
      }
    });
  }

  /** Requests the sync of a due account, if it is still active. */
  #askDue({ write, organisation, payload }: OrganisationRun<{ account_id: string }>): Promise<void> {
    return write(async () => {
      const account = await queryOne(this.#statements.active, [organisation.id, payload.account_id]);
      if (account) await this.#ask(payload.account_id);
    });
  }
}
