import { queryAll } from "../database/query.ts";
import { asRequest, currentRequest, type RequestStore } from "../request/context.ts";

/** An action without `acts` made a call that changes something outside the service: a mistake in our own code. */
class UndeclaredAct extends Error {
  override name = "UndeclaredAct";
}

/** The current request and those it runs inside on this node, innermost first. */
function running(): RequestStore[] {
  const all: RequestStore[] = [];
  for (let one = currentRequest(); one; one = one.within) all.push(one);
  return all;
}

/** Records in each request why it may not act, so that the error surfaces even if a library in between swallows it. */
function refuse(stores: readonly RequestStore[], error: unknown): never {
  for (const { outside } of stores) outside.refused ??= error;
  throw error;
}

/** @throws UndeclaredAct naming the action that lacks the declaration */
function requireDeclared(stores: readonly RequestStore[], what: string): void {
  const undeclared = stores.find(({ outside }) => outside.declared === false);
  if (undeclared)
    refuse(
      stores,
      new UndeclaredAct(`'${undeclared.action}' changes something at '${what}' and does not declare \`acts: "outside"\``),
    );
}

/**
 * The last step before a call that changes something outside the service: every such call of core/outbound and every call of an action that
 * declares `acts` goes through here. The first one checks that the request's principal is current. From then on the request no longer
 * depends on access, and it does not act again, however often it runs. Does nothing in a job, which acts on its own behalf.
 * @param what the provider or target, for the error
 * @throws UndeclaredAct
 * @throws StaleAccess when access has changed: nothing was done, so the request can run again
 */
export async function actOutside(what: string): Promise<void> {
  const stores = running();
  requireDeclared(stores, what);
  const guarded = stores.find((one) => one.guarded);
  if (guarded) {
    const { mode } = guarded;
    guarded.mode = "read";
    await asRequest(guarded, () => queryAll())
      .catch((error: unknown) => refuse(stores, error))
      .finally(() => {
        guarded.mode = mode;
      });
  }
  for (const store of stores) {
    store.outside.begun = true;
    store.guarded = false;
  }
}

/**
 * Rejects a call that changes something outside if its request has not gone through `actOutside`.
 * @throws Error only for a mistake in our own code
 */
export function requireActing(what: string): void {
  const stores = running();
  if (stores.some(({ outside }) => outside.declared !== null && !outside.begun))
    refuse(stores, new Error(`a call to '${what}' must not start before the request has recorded it`));
}
