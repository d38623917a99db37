import { type RequestStore, runRequest } from "../core/context.ts";
import { isApiError, refusal } from "../core/errors.ts";
import { queryAll } from "../core/query.ts";
import { explained } from "../core/write.ts";

const REPEATABLE = new Set(["40001", "40P01"]);
const MOST_ATTEMPTS = 3;

/**
 * Runs one request bound to its organisation: one transaction if it writes, and no outcome, good or bad, that does not rest on a
 * principal the database has confirmed.
 * @throws StaleAccess when access has moved on; nothing was written and the gateway repeats the call with a fresh principal
 */
export async function inTenancy<T>(make: () => RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const store = make();
    try {
      return await runRequest(store, () => once(store, work));
    } catch (error) {
      // A deadlock or serialisation failure has undone everything, so the work can simply run again.
      if (!REPEATABLE.has((error as { code?: string }).code ?? "") || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function once<T>(store: RequestStore, work: (store: RequestStore) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work(store);
    if (store.ifMatch !== null && !store.ifMatchCompared) throw refusal("precondition_failed");
    if (store.transaction) {
      const ending = store.transaction;
      store.transaction = null;
      await ending.commit();
    }
  } catch (error) {
    if (store.transaction) {
      const ending = store.transaction;
      store.transaction = null;
      await ending.rollback();
    }
    const known = explained(error);
    if (isApiError(known) && known.type !== "unavailable") await confirm(store);
    throw known;
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
