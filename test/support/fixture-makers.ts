import { randomUUID } from "node:crypto";
import type pg from "pg";
import { addDays } from "../../core/calendar.ts";
import { seal } from "../../core/sealed.ts";
import { createMember } from "../../operator/organisations.ts";
import { codeDigest } from "../../services/access/codes.ts";
import { secretPlace } from "../../services/access/two-factors.ts";
import type { Answer } from "./http.ts";
import { fileBody } from "./multipart.ts";
import { png } from "./pictures.ts";
import type { Caller, Tenant } from "./service.ts";
import { totp } from "./totp.ts";

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
  "leave.type_id": { ofCompany: false, make: (place) => newLeaveType(place) },
  leave_type_id: { ofCompany: false, make: (place) => newLeaveType(place) },
  contract_id: {
    ofCompany: false,
    make: async ({ tenant, sql }) =>
      idOf(
        await tenant.owner.post("/leave/contracts", {
          user_id: (await newMember(tenant, sql)).accountId,
          start_date: "2020-01-01",
          contract_hours_per_week: 32,
        }),
      ),
  },
  // Switched off, so that it takes no working day from anybody.
  holiday_id: {
    ofCompany: false,
    async make({ tenant, sql }) {
      const { rows } = await sql.query(
        `insert into leave_holidays (id, organisation_id, date, active) select gen_random_uuid(), $1, d, false
           from generate_series(date_trunc('year', now()), now() + interval '5 years', interval '1 day') d
          where not exists (select 1 from leave_holidays h where h.organisation_id = $1 and h.date = d) limit 1 returning id`,
        [tenant.organisation.id],
      );
      return rows[0].id;
    },
  },
  // No parameter names a pot or a profile, but lists hold them.
  entitlement_id: {
    ofCompany: false,
    async make(place) {
      const { tenant, sql } = place;
      const user_id = (await newMember(tenant, sql)).accountId;
      await tenant.owner.put(`/leave/rate/${user_id}`, { hourly_rate: 40 });
      const pot = { user_id, leave_type_id: await newLeaveType(place), year: 2000, hours: 8 };
      return (await tenant.owner.put("/leave/entitlements", pot)).body.id;
    },
  },
  // Somebody else's each time, for nobody is away twice on one day.
  request_id: {
    ofCompany: false,
    async make(place) {
      const body = { user_id: (await newMember(place.tenant, place.sql)).accountId, leave_type_id: await leaveTypeOf(place) };
      return idOf(await place.tenant.owner.post("/leave/requests", { ...body, start_date: A_DAY, end_date: A_DAY }));
    },
  },
  recurring_id: {
    ofCompany: false,
    async make(place) {
      const { tenant } = place;
      const body = { user_id: tenant.owner.accountId, leave_type_id: await leaveTypeOf(place), anchor_date: A_DAY };
      return idOf(await tenant.owner.post("/leave/recurring", { ...body, days_per_year: 1 }));
    },
  },
  entry_id: {
    ofCompany: false,
    make: async ({ tenant }) => idOf(await tenant.owner.post("/leave/availability", { kind: "extra", date: A_DAY })),
  },
  document_id: {
    ofCompany: false,
    async make({ tenant, token }) {
      const { body, headers } = fileBody(named(token), "text/plain", `${token}.txt`);
      const place = new URLSearchParams({ user_id: tenant.owner.accountId, category: "other" });
      return idOf(await tenant.owner.post(`/hr/documents?${place}`, body, { headers }));
    },
  },
  entity_id: { ofCompany: true, make: async ({ companyId }) => companyId },
  file_id: {
    ofCompany: true,
    async make({ tenant, token, companyId }) {
      const { body, headers } = fileBody(named(token), "text/plain", `${token}.txt`);
      return idOf(await tenant.owner.post(`/files?entity_type=company&entity_id=${companyId}`, body, { headers }));
    },
  },
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
  from: { ofCompany: false, make: (place) => (makers["role_id"] as Maker).make(place) },
  actor: { ofCompany: false, make: async ({ tenant, sql }) => (await newMember(tenant, sql)).accountId },
  // Of somebody who then makes the call: nobody ends another person's session.
  session_id: {
    ofCompany: false,
    async make({ tenant, sql }) {
      const person = await tenant.member("owner", { password: PASSWORD });
      nextToSignIn.set(tenant, person);
      const { rows } = await sql.query(
        `insert into sessions (organisation_id, account_id, token_hash, expires_at)
         values ($1, $2, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour') returning id`,
        [tenant.organisation.id, person.accountId],
      );
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

/** The working day the generated requests name. */
const A_DAY = "2026-03-02";

const newLeaveType = async ({ tenant }: Place) =>
  idOf(await tenant.owner.post("/leave/types", { key: `leave_${++counter}`, tracks_balance: true }));

const leaveTypes = new WeakMap<Tenant, Promise<string>>();
/** The one type an organisation's leave is made of. */
function leaveTypeOf(place: Place): Promise<string> {
  const known = leaveTypes.get(place.tenant) ?? newLeaveType(place);
  leaveTypes.set(place.tenant, known);
  return known;
}

async function withLogo({ tenant }: Place, { company_id: id }: Record<string, string>): Promise<void> {
  const { body, headers } = fileBody(png(), "image/png", "logo.png");
  await tenant.owner.post(`/companies/${id}/logo`, body, { headers });
}

/** Who signs in for the next operation that needs a session, where its rows are somebody's own. */
export const nextToSignIn = new WeakMap<Tenant, Caller>();

/** The second factor of whoever signs in for an operation that is about it. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
type FactorState = "pending" | "confirmed" | "phone";

async function enrol(sql: pg.ClientBase, accountId: string, state: FactorState): Promise<void> {
  const code = codeDigest(accountId, totp(SECRET));
  await sql.query(
    `insert into two_factors (account_id, secret, confirmed_at, phone, sms_code_hash, sms_expires_at)
     values ($1, $2, case when $3 <> 'pending' then now() end, case when $3 = 'phone' then '+31612345678' end, $4, now() + interval '1 hour')`,
    [accountId, seal(SECRET, secretPlace(accountId)), state, code],
  );
}

/** What else has to be there about whoever signs in for an operation, by label. */
export const signedIn: Record<string, (sql: pg.ClientBase, accountId: string) => Promise<void>> = {
  "POST /auth/2fa/confirm": (sql, accountId) => enrol(sql, accountId, "pending"),
  "POST /auth/2fa/backup-codes": (sql, accountId) => enrol(sql, accountId, "confirmed"),
  "POST /auth/2fa/sms/setup": (sql, accountId) => enrol(sql, accountId, "confirmed"),
  "POST /auth/2fa/sms/confirm": (sql, accountId) => enrol(sql, accountId, "phone"),
};

/** Bodies that a schema alone cannot tell, by label. */
export const bodies: Record<string, (place: Place) => Promise<object>> = {
  "PUT /members/{membership_id}/roles": async ({ tenant, sql }) => {
    const text = "select id from roles where organisation_id = $1 and key = 'member'";
    return { role_ids: [(await sql.query(text, [tenant.organisation.id])).rows[0].id] };
  },
};

/** What else has to be there before an operation can succeed, by label; the rows are those of its path and required query. */
export const arranged: Record<string, (place: Place, rows: Record<string, string>) => Promise<unknown>> = {
  "GET /companies/{company_id}/logo": withLogo,
  "DELETE /companies/{company_id}/logo": withLogo,
  "DELETE /members/{membership_id}/two-factor": async ({ sql }, { membership_id: id }) => {
    const { rows } = await sql.query("select account_id from memberships where id = $1", [id]);
    await enrol(sql, rows[0].account_id, "confirmed");
  },
  "DELETE /leave/entitlements": ({ tenant }, { user_id, leave_type_id, year }) =>
    tenant.owner.put("/leave/entitlements", { user_id, leave_type_id, year: Number(year), hours: 8 }),
  // It makes what is missing, so that every call finds as much: the pots of one new colleague.
  "POST /leave/entitlements/generate": async ({ tenant, sql }) => {
    await tenant.owner.post("/leave/entitlements/generate", { year: 2000 });
    await newMember(tenant, sql);
  },
};

const newDefinition = () => ({ entity_type: "company", key: `field_${++counter}`, data_type: "text" });

const newMember = (tenant: Tenant, sql: pg.ClientBase) =>
  createMember(sql as pg.Client, tenant.organisation.id, {
    email: `made${++counter}@${tenant.organisation.slug}.test`,
    role: "member",
  });

/** The maker of a path parameter: modules that share a name for different rows have one each, `<module>.<name>`. */
export const makerOfPath = (path: string, name: string): Maker => makers[`${path.split("/")[1]}.${name}`] ?? makerOf(name);

/** The maker of a parameter or of a field such as `responsible_user_id`. @throws Error that says where to add it */
export function makerOf(name: string): Maker {
  const found = makers[name] ?? Object.entries(makers).find(([key]) => key !== "id" && name.endsWith(`_${key}`))?.[1];
  if (!found)
    throw new Error(`nobody knows how to make a row for '${name}': add it to the makers in test/support/fixture-makers.ts`);
  return found;
}

const WEEK = { mon: { start: "09:00", end: "17:00", breaks: [{ start: "12:00", end: "12:30" }] } };

/** Values by field name, where a schema says less than the rule behind it. */
export const values: Record<string, () => unknown> = {
  accent_color: () => "#123456",
  balance_group: () => "group",
  category: () => "contract",
  client_number: () => `T-${++counter}`,
  client_number_format: () => "{seq:4}",
  code: () => totp(SECRET),
  country: () => "NL",
  currency: () => "EUR",
  custom: () => ({}),
  custom_avatar_url: () => "https://example.com/me.png",
  date: () => addDays("2032-01-01", ++counter),
  default_schedule: () => WEEK,
  end_time: () => "17:00",
  enabled_modules: () => ["companies", "contacts"],
  email: () => `somebody${++counter}@example.com`,
  expires_at: () => new Date(Date.now() + 86_400_000).toISOString(),
  entity_type: () => "company",
  holiday_country: () => "NL",
  from_address: () => "post@example.com",
  host: () => "relay.example.com",
  icon_url: () => "https://example.com/icon.png",
  invoice_email: () => "invoices@example.com",
  key: () => `field_${++counter}`,
  locale: () => "nl",
  logo_url: () => "https://example.com/logo.png",
  password: () => PASSWORD,
  permission: () => "companies.company.read",
  phone: () => "+31302345678",
  primary_color: () => "#654321",
  role: () => "member",
  scope: () => "companies.company.read",
  reply_to: () => "answers@example.com",
  required: () => false,
  repeat_until: () => "2099-12-31",
  schedule: () => WEEK,
  start_time: () => "09:00",
  timezone: () => "Europe/Amsterdam",
  to_date: () => "2026-03-04",
  website: () => "www.example.com",
};

/** Lists whose length does not follow the rows in the database, each with the reason. */
export const fixedLists: Record<string, string> = {
  "GET /activity": "lines of one record, as many as were written about it",
  "GET /companies/{company_id}/panels": "one entry per module, not per row",
  "GET /companies/{company_id}/summary": "one entry per module, not per row",
  "GET /files": "files of one record; its own test counts the statements",
  "GET /custom-fields/entity-types": "one entry per kind of record, not per row",
  "GET /leave/availability/days": "one row per day and person of the window; its own test counts the statements",
  "GET /settings/email/templates": "one entry per kind of mail and language, not per row",
  "GET /service-accounts/{account_id}/keys": "keys of one account; its own test counts the statements",
};

/** An id that no row has. */
export const nobody = (): string => randomUUID();
