import { randomUUID } from "node:crypto";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";

/** The encrypted secret of an account that no test calls. */
const SEALED = "v1.00000000.";

/** A domain name that nothing else has. */
export const anyName = (): string => `${randomUUID()}.example`;

/** Makes a domain as a caller, the owner unless said otherwise, for a client of its own unless one is named. */
export async function makeDomain(tenant: Tenant, values: object = {}, caller: Caller = tenant.owner): Promise<Body> {
  const company_id = (values as { company_id?: string }).company_id ?? (await tenant.company()).id;
  return bodyOf(await caller.post("/domains", { name: anyName(), ...values, company_id }));
}

/** What registers said about an organisation, written as a sync leaves it. */
export function registersOf({ sql }: Pick<TestService, "sql">, { organisation }: Tenant) {
  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), organisation_id: organisation.id, ...values };
    const names = Object.keys(row);
    await sql.query(
      `insert into ${table} (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
      Object.values(row),
    );
    return row["id"] as string;
  };
  return {
    /** @param synced when its list was read to its end */
    registrar: (synced: string | null = "2026-06-01T00:00:00Z") =>
      insert("registrar_accounts", {
        name: `Registrar ${randomUUID()}`,
        api_user: "user",
        api_password: SEALED,
        last_synced_at: synced,
        last_verified_at: "2026-06-01T00:00:00Z",
      }),
    edge: (read: string | null = "2026-06-01T00:00:00Z") =>
      insert("edge_accounts", { name: `Edge ${randomUUID()}`, api_token: SEALED, registrations_read_at: read }),
    listed: (account_id: string, name: string, more: object = {}) =>
      insert("registrar_domains", {
        account_id,
        name,
        label: name,
        sld: name.split(".")[0],
        tld: name.split(".").slice(1).join("."),
        registry_status: "active",
        ...more,
      }),
    registered: (account_id: string, name: string, more: object = {}) =>
      insert("edge_registrations", { account_id, name, at_provider: true, ...more }),
    zone: (account_id: string, name: string, domain_id: string | null = null) =>
      insert("edge_zones", { account_id, name, domain_id, edge_zone_id: randomUUID(), status: "active" }),
  };
}

/** The billing fields of an answer. */
export const billingOf = ({ invoiceable_effective, invoiceable_source, registers }: Body): unknown[] => [
  invoiceable_effective,
  invoiceable_source,
  registers,
];

/** A provider of a kind, made where the catalogue's own operations are not looked at. */
export async function providerOf({ sql }: Pick<TestService, "sql">, { organisation }: Tenant, kind: string, name = kind) {
  const id = randomUUID();
  await sql.query("insert into providers (id, organisation_id, kind, name) values ($1, $2, $3, $4)", [
    id,
    organisation.id,
    kind,
    name,
  ]);
  return id;
}
