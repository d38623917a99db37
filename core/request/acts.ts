import { queryAll } from "../database/query.ts";
import { asRequest, currentRequest, type RequestStore } from "./context.ts";

/** An action reached the outside world with a call that changes something there, and declares no `acts`: a mistake in our own code. */
export class UndeclaredAct extends Error {
  override name = "UndeclaredAct";
}

/** The running request and those it runs inside of on this node, the innermost first. */
function running(): RequestStore[] {
  const all: RequestStore[] = [];
  for (let one = currentRequest(); one; one = one.within) all.push(one);
  return all;
}

/** Notes for each request why it may not act, so that the error surfaces although a library between here and there swallows it. */
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
 * The last step before a call that changes something outside of the service leaves: every such call of core/outbound and every call of an
 * action that declares `acts` goes through here. The first one of a request proves its principal current. From then on the request no
 * longer depends on access, and it does not act a second time, however often it runs. Does nothing in a job, whose act is its own.
 * @param what the provider or target, for the error
 * @throws UndeclaredAct
 * @throws StaleAccess when access has moved on: nothing has been done, and the request can run again
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
 * Refuses to send what changes something outside for a request that has not been through `actOutside`.
 * @throws Error: only a mistake in our own code can do it
 */
export function requireActing(what: string): void {
  const stores = running();
  if (stores.some(({ outside }) => outside.declared !== null && !outside.begun))
    refuse(stores, new Error(`a call to '${what}' was to leave before the request had noted that it acts`));
}
