import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createMember } from "../../operator/organisations.ts";
import type { Answer } from "./http.ts";
import type { Tenant } from "./service.ts";

/** Where a row is made: the organisation, and the rows it hangs on by parameter name. */
export interface Place {
  tenant: Tenant;
  sql: pg.ClientBase;
  /** Stands in the name of whatever is made. */
  token: string;
  /** The company everything of this place belongs to. */
  companyId: string;
}

/** How a row comes to be that a path parameter or a reference of that name can point at. */
export interface Maker {
  /** True when a row belongs to a company, and so lies inside or outside of a restricted selection. */
  ofCompany: boolean;
  make(place: Place): Promise<string>;
}

const idOf = ({ status, text, body }: Answer): string => {
  if (status !== 201) throw new Error(`a row could not be made: ${status} ${text}`);
  return body.id;
};
/** The password of whoever signs in; a body that asks for one gets it too. */
export const PASSWORD = "correct horse battery staple";
let counter = 0;
const named = (token: string) => `${token} ${++counter}`;

/** A module with a new path parameter or reference adds one line here; whatever has none fails the generic suite. */
export const makers: Record<string, Maker> = {
  company_id: {
    ofCompany: true,
    make: async ({ tenant, token }) =>
      (await tenant.company({ name: named(token), responsible_user_id: tenant.owner.accountId })).id,
  },
  contact_id: {
    ofCompany: true,
    make: async ({ tenant, token, companyId }) =>
      idOf(await tenant.owner.post("/contacts", { first_name: named(token), company_ids: [companyId] })),
  },
  type_id: {
    ofCompany: false,
    make: async ({ tenant }) => idOf(await tenant.owner.post("/contacts/types", { key: `type_${++counter}` })),
  },
  entity_id: { ofCompany: true, make: async ({ companyId }) => companyId },
  group_id: {
    ofCompany: false,
    make: async ({ tenant, token }) => idOf(await tenant.owner.post("/companies/groups", { name: named(token) })),
  },
  membership_id: {
    ofCompany: false,
    make: async ({ tenant, sql }) => (await newMember(tenant, sql)).membershipId,
  },
  user_id: {
    ofCompany: false,
    make: async ({ tenant, sql }) => (await newMember(tenant, sql)).accountId,
  },
  role_id: {
    ofCompany: false,
    async make({ tenant, sql }) {
      const { rows } = await sql.query("insert into roles (organisation_id, key) values ($1, $2) returning id", [
        tenant.organisation.id,
        `made-${++counter}`,
      ]);
      return rows[0].id;
    },
  },
  definition_id: {
    ofCompany: false,
    make: async ({ tenant }) => idOf(await tenant.owner.post("/custom-fields/definitions", newDefinition())),
  },
  key_id: {
    ofCompany: false,
    make: async ({ tenant, token }) =>
      idOf(await tenant.owner.post("/api-keys", { name: named(token), scopes: ["companies.company.read"] })),
  },
  account_id: {
    ofCompany: false,
    make: async ({ tenant, token }) => idOf(await tenant.owner.post("/service-accounts", { name: named(token) })),
  },
  id: {
    ofCompany: false,
    make: async ({ tenant, sql }) => (await newMember(tenant, sql)).accountId,
  },
  fixture_site_id: {
    ofCompany: true,
    make: async ({ tenant, token, companyId }) =>
      idOf(await tenant.owner.post("/fixture/sites", { company_id: companyId, name: named(token) })),
  },
  fixture_entry_id: {
    ofCompany: true,
    async make({ tenant, token, companyId }) {
      const body = { company_id: companyId, description: named(token), minutes: 30, worked_on: "2026-03-02" };
      return idOf(await tenant.owner.post("/fixture/entries", body));
    },
  },
};

const newDefinition = () => ({ entity_type: "company", key: `field_${++counter}`, data_type: "text" });

const newMember = (tenant: Tenant, sql: pg.ClientBase) =>
  createMember(sql as pg.Client, tenant.organisation.id, {
    email: `made${++counter}@${tenant.organisation.slug}.test`,
    role: "member",
  });

/** The maker of a parameter or of a field such as `responsible_user_id`. @throws Error that says where to add it */
export function makerOf(name: string): Maker {
  const found = makers[name] ?? Object.entries(makers).find(([key]) => key !== "id" && name.endsWith(`_${key}`))?.[1];
  if (!found)
    throw new Error(`nobody knows how to make a row for '${name}': add it to the makers in test/support/fixture-makers.ts`);
  return found;
}

/** Values by field name, where a schema says less than the rule behind it. */
export const values: Record<string, () => unknown> = {
  client_number: () => `T-${++counter}`,
  client_number_format: () => "{seq:4}",
  country: () => "NL",
  currency: () => "EUR",
  custom: () => ({}),
  email: () => `somebody${++counter}@example.com`,
  expires_at: () => new Date(Date.now() + 86_400_000).toISOString(),
  entity_type: () => "company",
  invoice_email: () => "invoices@example.com",
  key: () => `field_${++counter}`,
  locale: () => "nl",
  password: () => PASSWORD,
  phone: () => "+31302345678",
  scope: () => "companies.company.read",
  required: () => false,
  timezone: () => "Europe/Amsterdam",
  website: () => "www.example.com",
};

/** Lists whose length does not follow the rows in the database, each with the reason. */
export const fixedLists: Record<string, string> = {
  "GET /activity": "lines of one record, as many as were written about it",
  "GET /companies/{company_id}/panels": "one entry per module, not per row",
  "GET /companies/{company_id}/summary": "one entry per module, not per row",
  "GET /custom-fields/entity-types": "one entry per kind of record, not per row",
  "GET /service-accounts/{account_id}/keys": "keys of one account; its own test counts the statements",
};

/** An id that no row has. */
export const nobody = (): string => randomUUID();
