import { setTimeout as delay } from "node:timers/promises";
import { lostRace } from "../core/database/connection/database.ts";
import { queryAll } from "../core/database/query.ts";
import { explained } from "../core/database/write.ts";
import { isApiError, type RefusalParts, refusal } from "../core/declare/errors.ts";
import { type RequestStore, request, runRequest } from "../core/request/context.ts";

const MOST_ATTEMPTS = 3;
/**
 * Milliseconds after which who lost to another request runs again, times the attempts so far, and twice that at most: the other has to be
 * awake before its locks are asked for anew, or it loses next.
 */
const HEAD_START = 40;

/** Whether running again may succeed: a deadlock, a serialisation failure, or a guess that another request had too, or took away. */
function mayRepeat(error: unknown, { retryableConstraints }: RequestStore): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return lostRace(error) || ((code === "23505" || code === "23503") && retryableConstraints.has(constraint ?? ""));
}

/** Notes in a refusal for want of the database whether anything of the request can be kept. */
function toldWhetherUndone(error: unknown, { mayBeKept, outside }: RequestStore): unknown {
  if (isApiError(error) && error.type === "unavailable") (error.data as RefusalParts).undone = !mayBeKept && !outside.begun;
  return error;
}

/**
 * Runs one request bound to its organisation: one transaction if it writes, and no outcome, good or bad, that does not rest on a
 * principal the database has confirmed.
 * @throws StaleAccess when access has moved on; nothing was written and the gateway repeats the call with a fresh principal
 */
export async function inTenancy<T>(make: () => RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  let anew = false;
  for (let attempt = 1; ; ) {
    const store = make();
    store.attempt = attempt;
    store.anew ||= anew;
    const { outside } = store;
    const hadBegun = outside.begun;
    try {
      return await runRequest(store, () => once(store, work));
    } catch (error) {
      // What this very run has done outside, and has not come to keep, it must not do again.
      if (outside.begun && !hadBegun && !outside.kept) throw explained(toldWhetherUndone(error, store));
      // Everything was undone, so the work can simply run again.
      if (attempt < MOST_ATTEMPTS && mayRepeat(error, store)) {
        if (lostRace(error)) await delay(attempt * HEAD_START * (1 + Math.random()));
        attempt += 1;
      } else if (store.outdated && !store.anew && !store.committed) anew = true;
      else throw explained(toldWhetherUndone(error, store));
    }
  }
}

/**
 * Runs work in a transaction of its own within the running request, before that has opened one: what it writes stays although the
 * request is then refused, as a failed sign-in is.
 * @param guarded whether the principal is proved current, as for the request itself
 * @param principal who it is done by; null for the system
 */
export function inOwnTransaction<T>(
  work: () => Promise<T>,
  guarded = request().guarded,
  principal = request().principal,
): Promise<T> {
  const outer = request();
  if (outer.transaction) throw new Error("the request has a transaction already");
  return inTenancy(
    () => ({
      ...outer,
      guarded,
      principal,
      mode: "write",
      statements: 0,
      retryableConstraints: new Set(),
      ifMatch: null,
      verified: false,
      outdated: false,
      committed: false,
      mayBeKept: false,
    }),
    work,
  );
}

/**
 * The same for what an outside service has told or done: it is kept whatever has become of the access of who asked for it, so that no
 * principal is proved current here. That is for what comes before the call.
 */
export const keepTold = <T>(work: () => Promise<T>): Promise<T> => inOwnTransaction(work, false);

/** The same as the system: for what nobody did, such as a grant that turns out to be dead. Its owner is then told although they made the call. */
export const keepFound = <T>(work: () => Promise<T>): Promise<T> => inOwnTransaction(work, false, null);

async function once<T>(store: RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work(store).finally(() => {
      // What kept an act from leaving is the request's end, whatever its code has made of that.
      if (store.outside.refused !== undefined) throw store.outside.refused;
    });
    if (store.ifMatch !== null && !store.ifMatchCompared) throw refusal("precondition_failed");
    if (store.transaction) {
      const ending = store.transaction;
      await ending.settle();
      store.transaction = null;
      await ending.commit();
    }
  } catch (error) {
    if (store.transaction) {
      const ending = store.transaction;
      store.transaction = null;
      await ending.rollback();
    }
    if (isApiError(error) && error.type !== "unavailable") await confirm(store);
    throw error;
  }
  await confirm(store);
  return result;
}

/** Proves the principal current where no statement has done so yet. */
async function confirm(store: RequestStore): Promise<void> {
  if (!store.guarded || store.verified) return;
  store.mode = "read";
  await queryAll();
}
