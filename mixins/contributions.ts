import type { ServiceBroker } from "moleculer";
import type { ActionContext, Contributions } from "../core/declare/options.ts";
import { grantsThatMeet, switchable } from "../core/declare/permissions.ts";
import type { Principal } from "../core/declare/principal.ts";
import { derivedFromRegistry } from "./live-registry.ts";

/** A contributing action from the live registry. */
export interface Contributor<K extends keyof Contributions> {
  name: string;
  permission: string | undefined;
  contribution: NonNullable<Contributions[K]>;
}

/** All contributors, by kind of surface. */
const byKind = derivedFromRegistry((actions) => {
  const kinds = new Map<string, Contributor<keyof Contributions>[]>();
  for (const { name, permission, contributes = {} } of actions)
    for (const [kind, contribution] of Object.entries(contributes)) {
      const found = kinds.get(kind) ?? [];
      if (contribution) kinds.set(kind, [...found, { name, permission, contribution }]);
    }
  return kinds;
});

/** The actions of all nodes that contribute to one kind of surface. */
export const contributors = <K extends keyof Contributions>(broker: ServiceBroker, kind: K): readonly Contributor<K>[] =>
  (byKind(broker).get(kind) ?? []) as Contributor<K>[];

/** Whether a principal has permission to read a contribution; without it, the contribution is not computed (conventions §4.2). */
export function mayRead(principal: Principal | null, permission: string | undefined): boolean {
  return permission === undefined || grantsThatMeet(permission).some((grant) => principal?.grants.includes(grant));
}

/**
 * Calls in parallel the contributors that the principal has permission to read, and returns each with its answer.
 * @param isWanted selects some of the kind
 */
export async function collect<K extends keyof Contributions, T>(
  ctx: ActionContext,
  kind: K,
  params: object,
  isWanted: (contribution: NonNullable<Contributions[K]>) => boolean = () => true,
): Promise<{ contribution: NonNullable<Contributions[K]>; answer: T }[]> {
  const enabled = ctx.meta.organisation.enabledModules;
  const found = contributors(ctx.broker, kind).filter(
    ({ name, permission, contribution }) =>
      isWanted(contribution) && mayRead(ctx.meta.principal, permission) && isEnabled(enabled, name.split(".")[0] as string),
  );
  return Promise.all(
    found.map(async ({ name, contribution }) => ({ contribution, answer: (await ctx.call(name, params)) as T })),
  );
}

/** One kind of figures about rows, by id. Calls no contributor without ids; omits rows that no module has figures for. */
export async function figuresOf<T>(
  ctx: ActionContext,
  figures: NonNullable<Contributions["figures"]>,
  ids: readonly string[],
): Promise<Readonly<Record<string, T>>> {
  if (ids.length === 0) return {};
  const found = await collect<"figures", Record<string, T>>(ctx, "figures", { ids }, (kind) => kind === figures);
  return Object.assign({}, ...found.map(({ answer }) => answer));
}

/** Whether a module is enabled: core and permanent modules always are, every other one if the organisation lists it. */
export const isEnabled = (enabled: readonly string[], name: string): boolean =>
  enabled.includes(name) || !switchable().some(({ module, permanent }) => module === name && !permanent);
