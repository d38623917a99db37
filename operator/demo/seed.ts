import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import type { Config } from "../../core/config/config.ts";
import { columns } from "../../core/database/model.ts";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import type { DemoOrganisation } from "../../core/declare/module.ts";
import { systemRoles } from "../../core/declare/permissions.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import { makeFolder } from "../../core/files/make-folder.ts";
import { OrganisationModel, organisationOf } from "../../core/organisation/organisation.ts";
import { randomHex } from "../../core/security/crypto.ts";
import { demoIds } from "../../core/values/demo-ids.ts";
import { createKey, createMember, createOrganisation, linkDomain } from "../organisations.ts";

/** Data that the first start shows once. */
export interface FirstRun {
  organisation: Organisation;
  admin: { email: string; password: string };
  apiKey: string;
}

/** Content of `first-run.json`. */
export interface FirstRunFacts {
  base_url: string;
  hostname: string;
  organisation: string;
  admin: { email: string; password: string };
  api_key: string;
}

/** The credentials of the first run, for a service that listens on `port`. */
export const firstRunFacts = ({ organisation, admin, apiKey }: FirstRun, config: Config, port: number): FirstRunFacts => ({
  base_url: `http://localhost:${port}`,
  hostname: `${organisation.slug}.${config.baseDomain}`,
  organisation: organisation.slug,
  admin,
  api_key: apiKey,
});

/** Path of `first-run.json`. */
export const firstRunFile = (config: Config): string => path.join(config.dataDir, "first-run.json");

/** Saves the credentials in a file that only the operator can read. */
export async function keepFirstRun(facts: FirstRunFacts, config: Config): Promise<void> {
  const file = firstRunFile(config);
  await makeFolder(config.dataDir);
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  // `mode` applies only to a new file.
  chmodSync(file, 0o600);
}

/** Whether no organisation exists yet. @param ownerUrl connection as the role that sees every organisation */
export async function isEmptyInstallation(ownerUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query("select 1 from organisations limit 1")).rows.length === 0;
  } finally {
    await client.end();
  }
}

/**
 * Fills an empty database with the organisation `demo`: an owner who is also the instance administrator, colleagues and companies. If a run
 * is killed before it creates the companies, the next one does.
 * @param keep saves the credentials before the commit, so that they are never lost
 * @returns null if an organisation already exists
 */
export async function seedDemo(
  ownerUrl: string,
  config: Config,
  keep: (first: FirstRun) => Promise<void>,
): Promise<FirstRun | null> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin");
    await client.query("lock table organisations in share row exclusive mode");
    if ((await client.query("select 1 from organisations limit 1")).rows.length > 0) {
      await client.query("rollback");
      await finishDemo(client);
      return null;
    }
    const organisation = await createOrganisation(client, { slug: "demo", name: "Bureau Noorderlicht" });
    await linkDomain(client, organisation.id, "localhost", config.baseDomain);
    const ids = demoIds(organisation);
    const personal = () => ({ account: ids("users"), membership: ids("members") });
    const admin = { email: OWNER, password: randomHex(9) };
    const owner = await createMember(client, organisation.id, {
      ...admin,
      fullName: "Femke de Wit",
      role: "owner",
      superuser: true,
      ids: personal(),
    });
    for (const [email, fullName, role] of COLLEAGUES)
      await createMember(client, organisation.id, { email, fullName, role, ids: personal() });
    const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
    const key = await createKey(client, organisation.id, config.keyPrefix, {
      name: "First key",
      scopes,
      accountId: owner.accountId,
    });
    const first = { organisation, admin, apiKey: key.value };
    await keep(first);
    await client.query("commit");
    await finishDemo(client);
    return first;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    await client.end();
  }
}

const OWNER = "owner@demo.localhost";
const COLLEAGUES = [
  ["daan@demo.localhost", "Daan Vermeer", "admin"],
  ["sanne@demo.localhost", "Sanne Bakker", "member"],
  ["youssef@demo.localhost", "Youssef El Amrani", "member"],
  ["lotte@demo.localhost", "Lotte Hoekstra", "member"],
] as const;

/** Lets every module fill its part of the demo organisation, unless the organisation already has activity. */
async function finishDemo(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select ${columns(OrganisationModel)} from organisations o
      where slug = 'demo' and not exists (select 1 from activity a where a.organisation_id = o.id)`,
  );
  if (!rows[0]) return;
  const { rows: colleagues } = await client.query<DemoOrganisation["colleagues"][number]>(
    `select a.id, coalesce(a.full_name, a.email) as name from memberships m join accounts a on a.id = m.account_id
      where m.organisation_id = $1 order by m.created_at, m.id`,
    [rows[0].id],
  );
  const demo = { client, organisation: organisationOf(rows[0]), owner: OWNER, colleagues };
  for (const { load } of catalogue().demos) await (await load())(demo);
}
