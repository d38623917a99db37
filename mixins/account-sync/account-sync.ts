import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "../../core/config/runtime.ts";
import { column, type Model, type UpdateOf } from "../../core/database/model.ts";
import { enqueue, peek, query, queryOne } from "../../core/database/query.ts";
import { statement } from "../../core/database/statement.ts";
import { update } from "../../core/database/write.ts";
import { notFound, refusal } from "../../core/declare/errors.ts";
import { type Jobs, job, type OrganisationRun, schedule } from "../../core/jobs/jobs.ts";
import { redact } from "../../core/outbound/redact.ts";
import { request } from "../../core/request/context.ts";
import { SYSTEM } from "../../core/request/system.ts";
import { inOwnTransaction } from "../tenancy.ts";
import { syncMoment } from "./sync-moments.ts";

/** Longest a sync may take, in milliseconds. */
const LONGEST = 900_000;
/** Minutes after which a sync that has not ended counts as lost, so that another may be asked for. */
const LOST = 30;
/** Pauses between two looks for the end of a sync, in milliseconds. */
const FIRST_LOOK = 20;
const LONGEST_LOOK = 250;

/** Who asked for a sync, for the lines it writes in the trail. */
export interface SyncActor {
  accountId: string | null;
  serviceAccountId: string | null;
  name: string | null;
}

/** Columns of the model of accounts that are synced; their table has `ACCOUNT_SYNC` of migrations/0025-assets/account-sync.ts. */
export const syncColumns = {
  sync_asked: column.integer().withDefault(),
  sync_ended: column.integer().withDefault(),
  sync_asked_at: column.instant().orNull(),
  sync_asked_by: column.json<SyncActor>().orNull(),
  sync_result: column.json().orNull(),
};

type Synced = Model<typeof syncColumns & Record<"active", ReturnType<typeof column.boolean>>> | Model;

/** A sync of one account. Outside of `read` and `write` no connection is held: the provider is asked there. */
export interface SyncRun extends Pick<OrganisationRun, "id" | "organisation" | "signal" | "logger" | "read" | "write" | "call"> {
  accountId: string;
}

/** What a sync has come to: the answer to all who wait for it, and what is stored of it on the account. */
export interface SyncEnd<M extends Model, R> {
  result: R;
  account: UpdateOf<M>;
}

/** The accounts of one provider, and what a sync of one of them does. */
export interface AccountSyncSpec<M extends Model, R> {
  /** Name of its job, such as `edge.sync`. */
  job: string;
  /** The licensed module. */
  module: string;
  about: string;
  /** Has `syncColumns` and `active`. */
  model: M;
  /**
   * Reads a provider's lists and stores them. What a provider refuses is part of the result; what is thrown is a fault of ours, and tried
   * again. Undefined when the account has been removed meanwhile.
   */
  sync(run: SyncRun): Promise<SyncEnd<M, R> | undefined>;
  /** The end of a sync that was given up because of a fault of ours. @param error redacted */
  gaveUp(error: string): SyncEnd<M, R>;
}

/** The sync of accounts as endpoints and jobs use it (assets §5.12). */
export interface AccountSync<R> {
  /** What the actor declares as `jobs`. */
  jobs: Jobs;
  /**
   * Asks for a sync, or joins the one under way, and waits for its end: for `prepare`, so that no connection is held. When the caller or
   * this node goes away the sync still ends.
   * @throws 404, and 503 when it takes longer than a request may
   */
  join(accountId: string): Promise<R>;
}

interface State {
  sync_asked: number;
  sync_ended: number;
  sync_result: unknown;
  sync_asked_by: SyncActor | null;
}

type Due = { id: string; last_asked: string };

/** One sync at a time per account over all nodes, by a job that every caller joins. */
export function accountSync<M extends Model, R extends object>(spec: AccountSyncSpec<M, R>): AccountSync<R> {
  const { job: name, module, model, about } = spec;
  const { table } = model as Synced;
  const LOCK =
    statement(`select sync_asked, sync_asked > sync_ended and sync_asked_at > now() - interval '${LOST} minutes' as under_way
    from ${table} where organisation_id = $1 and id = $2 for update`);
  const ASK = statement(`update ${table} set sync_asked = $3, sync_asked_at = now(), sync_asked_by = $4
    where organisation_id = $1 and id = $2`);
  const STATE = statement(`select sync_asked, sync_ended, sync_result, sync_asked_by from ${table}
    where organisation_id = $1 and id = $2`);
  const END = statement(
    `update ${table} set sync_ended = $3, sync_result = $4 where organisation_id = $1 and id = $2 and sync_ended < $3`,
  );
  const DUE = statement(
    `select id, coalesce(sync_asked_at, created_at) as last_asked from ${table} where organisation_id = $1 and active`,
  );
  const ACTIVE = statement(`select 1 from ${table} where organisation_id = $1 and id = $2 and active`);

  /** The number of the sync that a caller waits for. @throws 404 */
  async function ask(accountId: string): Promise<number> {
    const { organisation, principal } = request();
    const account = await queryOne<{ sync_asked: number; under_way: boolean | null }>(LOCK, [organisation.id, accountId]);
    if (!account) throw notFound();
    if (account.under_way) return account.sync_asked;
    const number = account.sync_asked + 1;
    const { accountId: person = null, serviceAccountId = null, name: called = null } = principal ?? {};
    const actor: SyncActor = { accountId: person, serviceAccountId, name: called };
    enqueue(ASK, [organisation.id, accountId, number, JSON.stringify(actor)]);
    schedule(name, { account_id: accountId, number }, { key: accountId });
    return number;
  }

  async function join(accountId: string): Promise<R> {
    const number = await inOwnTransaction(() => ask(accountId));
    const deadline = Date.now() + runtime().config.requestTimeout;
    for (let pause = FIRST_LOOK; Date.now() < deadline; pause = Math.min(pause * 1.5, LONGEST_LOOK)) {
      const state = await peek<State>(STATE, [request().organisation.id, accountId]);
      if (!state) throw notFound();
      if (state.sync_ended >= number) return state.sync_result as R;
      await sleep(pause);
    }
    throw refusal("unavailable");
  }

  async function run(running: OrganisationRun<{ account_id: string; number: number }>): Promise<void> {
    const { id, organisation, signal, logger, read, payload, call } = running;
    const { account_id: accountId, number } = payload;
    const place = [organisation.id, accountId];
    const state = await read(() => queryOne<State>(STATE, place));
    // Removed, or ended by an attempt that could not say so.
    if (!state || state.sync_ended >= number) return;
    const actor = state.sync_asked_by;
    const write = <T>(work: () => Promise<T>): Promise<T> =>
      running.write(() => {
        if (actor) request().principal = { ...SYSTEM, ...actor };
        return work();
      });
    const end = ({ result, account }: SyncEnd<M, R>) =>
      write(async () => {
        if (!(await queryOne(LOCK, place))) return;
        update(model, accountId, account as never);
        enqueue(END, [...place, number, JSON.stringify(result)]);
      });
    try {
      const done = await spec.sync({ id, organisation, signal, logger, read, write, call, accountId });
      // A node that stops gives the job back: what broke off is no result.
      signal.throwIfAborted();
      if (done) await end(done);
    } catch (error) {
      if (!running.lastAttempt) throw error;
      await end(spec.gaveUp(redact((error as Error).message)));
      throw error;
    }
  }

  /** Schedules the accounts whose moment is before the next look. */
  async function look(running: OrganisationRun): Promise<void> {
    const { accountSyncHours: hours } = runtime().config;
    if (hours === 0) return;
    const accounts = await running.read(() => query<Due>(DUE, [running.organisation.id]));
    await running.write(async () => {
      for (const { id, last_asked } of accounts) {
        const runAt = syncMoment(id, hours, last_asked, Date.now());
        if (runAt) schedule(`${name}.due`, { account_id: id }, { runAt, dedupe: id });
      }
    });
  }

  return {
    join,
    jobs: {
      [name]: job<{ account_id: string; number: number }>({
        about,
        module,
        concurrency: 4,
        timeout: LONGEST,
        lock: 10_000,
        retry: { attempts: 3, backoff: { first: 2_000, factor: 3 } },
        handler: run,
      }),
      [`${name}.due`]: job<{ account_id: string }>({
        about: `${about}, by the clock`,
        module,
        handler: (running) =>
          running.write(async () => {
            const account = await queryOne(ACTIVE, [running.organisation.id, running.payload.account_id]);
            if (account) await ask(running.payload.account_id);
          }),
      }),
      [`${name}.look`]: { about: `Schedules syncs: ${about}`, module, schedule: "0 * * * *", handler: look },
    },
  };
}
