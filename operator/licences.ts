import type pg from "pg";
import type { Config } from "../core/config/config.ts";
import { type LicenceState, mayBeWritten } from "../core/declare/licence.ts";
import { licensable, switchable } from "../core/declare/permissions.ts";
import type { Organisation } from "../core/declare/principal.ts";
import { licenceOf } from "../core/organisation/licence-state.ts";
import { OperatorError } from "./organisations.ts";

export const PLANS = ["trial", "standard", "unlimited", "none"] as const;

export interface ListedLicence {
  module: string;
  expires_at: string;
  grace_days: number;
}

/**
 * Sets expiry and grace period of the listed modules; other modules keep theirs.
 * @param names modules, or only `all`
 * @returns the complete licence after the change
 */
export async function setLicence(
  client: pg.ClientBase,
  names: readonly string[],
  expiresAt: string,
  graceDays: number,
): Promise<ListedLicence[]> {
  const all = licensable();
  const chosen = names.length === 1 && names[0] === "all" ? all : [...new Set(names)];
  const unknown = chosen.filter((name) => !all.includes(name));
  if (unknown.length > 0 || chosen.length === 0)
    throw new OperatorError(
      `No licence covers ${unknown.join(", ") || "an empty list"}: choose 'all' or from ${all.join(", ")}.`,
    );
  await client.query(
    `insert into product_licences (module, expires_at, grace_days) select m, $2, $3 from unnest($1::text[]) m
       on conflict (module) do update set expires_at = excluded.expires_at, grace_days = excluded.grace_days`,
    [chosen, expiresAt, graceDays],
  );
  return listLicences(client);
}

/** The licence of the installation, by module. */
export async function listLicences(client: pg.ClientBase): Promise<ListedLicence[]> {
  const { rows } = await client.query<ListedLicence>(
    "select module, expires_at, grace_days from product_licences order by module",
  );
  return rows;
}

/** Sets a hosted organisation's plan; with `endsAt` null it never ends. */
export async function setPlan(client: pg.ClientBase, organisationId: string, plan: string, endsAt: string | null): Promise<void> {
  if (!(PLANS as readonly string[]).includes(plan)) throw new OperatorError(`A plan is one of ${PLANS.join(", ")}.`);
  await client.query("update organisations set plan = $2, plan_ends_at = $3, updated_at = now() where id = $1", [
    organisationId,
    plan,
    endsAt,
  ]);
}

async function storedLicence(client: pg.ClientBase, organisationId: string, config: Config): Promise<LicenceState> {
  const { rows } = await client.query(
    `select o.plan, o.plan_ends_at, (select installed_at from installation) as installed_at,
            (select coalesce(json_agg(json_build_object('module', module, 'expiresAt', expires_at, 'graceDays', grace_days)), '[]')
               from product_licences) as licences
       from organisations o where o.id = $1`,
    [organisationId],
  );
  return licenceOf(rows[0], config);
}

/**
 * Enables or disables modules of an organisation. The result must include what each module requires; a newly enabled module must be
 * licensed (conventions §7).
 * @throws OperatorError naming the module and what is missing
 */
export async function switchModules(
  client: pg.ClientBase,
  organisation: Organisation,
  names: readonly string[],
  on: boolean,
  config: Config,
): Promise<{ enabled: string[]; changed: string[] }> {
  const known = switchable();
  const unknown = names.filter((name) => !known.some(({ module }) => module === name));
  if (unknown.length > 0)
    throw new OperatorError(
      `There is no module ${unknown.map((name) => `'${name}'`).join(", ")}: ${known.map(({ module }) => module).join(", ")}.`,
    );
  const kept = known.find(({ module, permanent }) => permanent && !on && names.includes(module));
  if (kept) throw new OperatorError(`The module '${kept.module}' cannot be disabled.`);
  const { rows } = await client.query("select enabled_modules from organisations where id = $1 for update", [organisation.id]);
  const before = new Set<string>(rows[0].enabled_modules);
  const changed = [...new Set(names)].filter((name) => before.has(name) !== on);
  const after = known.map(({ module }) => module).filter((module) => (changed.includes(module) ? on : before.has(module)));
  for (const { module, requires } of known)
    for (const needed of requires)
      if (after.includes(module) && !after.includes(needed))
        throw new OperatorError(
          on
            ? `The module '${module}' needs '${needed}': enable both.`
            : `The module '${module}' needs '${needed}': disable both.`,
        );
  if (on) {
    const licence = await storedLicence(client, organisation.id, config);
    for (const { module, sku } of known)
      if (changed.includes(module) && !mayBeWritten(sku, licence, Date.now()))
        throw new OperatorError(
          config.posture === "hosted"
            ? `The plan of '${organisation.slug}' is not active, so '${module}' cannot be enabled.`
            : `The module '${module}' is not licensed: \`licence set --modules ${sku} --expires DATE\` first.`,
        );
  }
  if (changed.length > 0)
    await client.query("update organisations set enabled_modules = $2, updated_at = now() where id = $1", [
      organisation.id,
      after,
    ]);
  return { enabled: after, changed };
}
