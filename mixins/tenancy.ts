import { setTimeout as delay } from "node:timers/promises";
import { lostRace } from "../core/database/connection/database.ts";
import { queryAll } from "../core/database/query.ts";
import { explained } from "../core/database/write.ts";
import { isApiError, type RefusalParts, refusal } from "../core/errors/errors.ts";
import { type RequestStore, request, runRequest } from "../core/request/context.ts";
import { wrapper } from "./wrappers.ts";

const MOST_ATTEMPTS = 3;
/**
 * Milliseconds that the loser of a conflict waits before it re-runs, multiplied by the attempts so far and by a random factor of 1 to 2.
 * The winner must resume before the loser requests its locks again, or it loses in turn.
 */
const HEAD_START = 40;

/** Whether a re-run may succeed: after a deadlock, a serialisation failure, or a conflict over a value that another request changed. */
function mayRepeat(error: unknown, { retryableConstraints }: RequestStore): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return lostRace(error) || ((code === "23505" || code === "23503") && retryableConstraints.has(constraint ?? ""));
}

/** Notes in a database-unavailable error whether any effect of the request may remain. */
function withUndone(error: unknown, { mayBeKept, outside }: RequestStore): unknown {
  if (isApiError(error) && error.type === "unavailable") (error.data as RefusalParts).undone = !mayBeKept && !outside.begun;
  return error;
}

/**
 * Runs one request bound to its organisation, in one transaction if it writes. Every outcome, success or error, rests on a principal that
 * the database has confirmed.
 * @throws StaleAccess if access has changed; nothing was written, and the gateway retries the call with a reloaded principal
 */
export async function inTenancy<T>(make: () => RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  let freshPlans = false;
  for (let attempt = 1; ; ) {
    const store = make();
    store.attempt = attempt;
    store.freshPlans ||= freshPlans;
    const { outside } = store;
    const hadBegun = outside.begun;
    try {
      return await runRequest(store, () => once(store, work));
    } catch (error) {
      // This run has acted externally without storing the act, so it must not re-run.
      if (outside.begun && !hadBegun && !outside.outcome) throw explained(withUndone(error, store));
      // Everything was rolled back, so the work can re-run.
      if (attempt < MOST_ATTEMPTS && mayRepeat(error, store)) {
        if (lostRace(error)) await delay(attempt * HEAD_START * (1 + Math.random()));
        attempt += 1;
      } else if (store.outdated && !store.freshPlans && !store.committed) freshPlans = true;
      else throw explained(withUndone(error, store));
    }
  }
}

/** The mixin that binds every call of a service's actions to its organisation, in one transaction if it writes. */
export const tenancy = wrapper(
  "tenancy",
  (next) => (request) =>
    inTenancy(
      () => request.begin(),
      () => next(request),
    ),
);

/**
 * Runs work in its own transaction within the running request, before the request opens one. Its writes stay even if the request is then
 * rejected, such as the record of a failed sign-in.
 * @param guarded whether the principal is proved current, by default as for the request
 * @param principal the acting principal; null for the system
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
      boundRevision: null,
      outdated: false,
      committed: false,
      mayBeKept: false,
    }),
    work,
  );
}

/**
 * Stores an external service's result or act, even if the caller has lost access since: it does not prove the principal current. Check
 * access before calling the service.
 */
export const storeOutsideResult = <T>(work: () => Promise<T>): Promise<T> => inOwnTransaction(work, false);

/** Stores as the system what no caller did, such as a grant found dead. So its owner is notified even if the owner made the call. */
export const storeAsSystem = <T>(work: () => Promise<T>): Promise<T> => inOwnTransaction(work, false, null);

async function once<T>(store: RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work(store).finally(() => {
      // If an act was not allowed to leave, the request fails with that error, even if its code caught it.
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

/** Proves the principal current, unless a statement already has. */
async function confirm(store: RequestStore): Promise<void> {
  if (!store.guarded || store.verified) return;
  store.mode = "read";
  await queryAll();
}
