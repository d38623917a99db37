import type pg from "pg";
import type { Caller } from "../service.ts";
import type { Seeded } from "./seeded.ts";

/** Who asks: `few` sees the companies of a small group, `many` those of a large one. */
export interface Callers {
  owner: Caller;
  few: Caller;
  many: Caller;
}

/** What a list is to answer, said in plain SQL over alias `t`, and rows to ask it of. */
export interface Reference {
  path: string;
  /** What the query string needs to reach everybody's rows. */
  everyone?: string;
  table: string;
  /** Fills an organisation with so many rows, odd ones among them. */
  fill(sql: pg.ClientBase, organisation: string, callers: Callers, rows: number, seeded: Seeded): Promise<void>;
  /** What `q` looks in. */
  fields: string[];
  terms: string[];
  /** The whole `order by` of each sort, for a restricted membership or null. */
  orders(membership: string | null): Record<string, string>;
  /** Query strings that narrow, and what they mean to who asks. */
  filters(callers: Callers, asking: Caller): [query: string, condition: string][];
  /** What a restricted membership sees. */
  visible?: (membership: string) => string;
}

/** Instants after which nearly all, many, a few and none of the rows have changed. */
export const MOMENTS = ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"];

const ODD = ["100% puur", "a_b", "c\\d", "Ünïcödé", "Çelik & İnci", "STRASSE ß", "😀 lacht", "日本語", "O'Neil", "e\u0301cole"];
const STATUSES = ["lead", "onboarding", "active", "offboarding", "archived"];

/** Words held by half of the rows, by a tenth, by one in twenty-five, in two hundred, in two thousand. */
const words = ({ weighed }: Seeded) =>
  [
    weighed([
      ["Alfa ", 0.5],
      ["", 0.5],
    ]),
    weighed([
      ["bèta ", 0.1],
      ["", 0.9],
    ]),
    weighed([
      ["GAMMA ", 0.04],
      ["", 0.96],
    ]),
    weighed([
      ["delta ", 0.005],
      ["", 0.995],
    ]),
    weighed([
      ["epsilon", 0.0005],
      ["", 0.9995],
    ]),
  ].join("");

/** Text of any characters that nothing compresses, with a word at its far end in half of the cases. */
function long({ random }: Seeded, most: number): string {
  const length = Math.floor(random() * most);
  const text = Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(random() * 20_000))).join("");
  return text + (random() < 0.5 ? " verweg" : "");
}
/** Beginnings of names, equal but for case in part; the last one is found nowhere else. */
const beginning = ({ weighed }: Seeded) =>
  weighed([
    ["Aarde", 0.2],
    ["aarde", 0.2],
    ["Boom", 0.2],
    ["été", 0.1],
    ["ÉTÉ", 0.1],
    ["Vuur", 0.15],
    ["Zeta", 0.05],
  ]);
const moment = ({ random, weighed }: Seeded) =>
  new Date(
    weighed([
      [Date.UTC(2023, 6), 0.05],
      [Date.UTC(2024, 6), 0.8],
      [Date.UTC(2025, 6), 0.13],
      [Date.UTC(2025, 11, 3), 0.02],
    ]) +
      Math.floor(random() * 500) * 60_000,
  ).toISOString();
/** Few moments of creation, so that ties are broken by what comes after. */
const creation = ({ random }: Seeded) => new Date(Date.UTC(2022, 0) + Math.floor(random() * 600) * 3_600_000).toISOString();

const insert = (sql: pg.ClientBase, table: string, columns: string, types: string, rows: object[], organisation: string) =>
  sql.query(
    `insert into ${table} (id, organisation_id, ${columns})
     select gen_random_uuid(), $1, ${columns} from jsonb_to_recordset($2::jsonb) as r (${types})`,
    [organisation, JSON.stringify(rows)],
  );

const companiesOf = (membership: string) => `select g.company_id from company_group_companies g join company_group_memberships m
  on m.organisation_id = g.organisation_id and m.group_id = g.group_id where m.membership_id = '${membership}'`;
const both = (sorts: Record<string, string>, ties: string, nulls: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries(sorts).flatMap(([key, by]) => [
      [key, `${by}, ${ties}`],
      [`-${key}`, `${by} desc${nulls.includes(key) ? " nulls last" : ""}, ${ties}`],
    ]),
  );
const text = (by: string) => `${by} collate kantoor_text`;

const companies: Reference = {
  path: "/companies",
  table: "companies",
  async fill(sql, organisation, { owner, few, many }, rows, seeded) {
    const { random, pick } = seeded;
    const made = Array.from({ length: rows }, (_, n) => ({
      // Texts about as long as an entry of the search's index may be.
      name: n < 9 ? "grens" : `${beginning(seeded)} ${random() < 0.3 ? pick(ODD) : pick(["een", "Een", "twee"])}`,
      legal_name:
        n < 9 ? "x".repeat(988 + n) : random() < 0.01 ? long(seeded, n % 100 === 0 ? 10_000 : 1000) : words(seeded) || null,
      client_number: n >= 9 && random() < 0.6 ? `${pick(["K", "k"])}-${n}` : null,
      website: n >= 9 && random() < 0.5 ? `https://www.site${n % 97}.example` : null,
      status: pick(STATUSES),
      created_at: creation(seeded),
      updated_at: moment(seeded),
    }));
    const types =
      "name text, legal_name text, client_number text, website text, status text, created_at timestamptz, updated_at timestamptz";
    await insert(sql, "companies", types.replaceAll(/ (text|timestamptz)/g, ""), types, made, organisation);
    await sql.query(
      `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
       select organisation_id, id, ($2::uuid[])[1 + get_byte(uuid_send(id), 10) % 4], get_byte(uuid_send(id), 11) % 5 > 0 from companies
        where organisation_id = $1 and get_byte(uuid_send(id), 10) % 4 < 3`,
      [organisation, [owner.accountId, few.accountId, many.accountId]],
    );
    for (const [{ membershipId }, size] of [
      [few, 40],
      [many, rows / 3],
    ] as const)
      await sql.query(
        `with made as (insert into company_groups (id, organisation_id, name) values (gen_random_uuid(), $1, $2::text) returning id),
           held as (insert into company_group_companies (organisation_id, group_id, company_id)
             select $1, made.id, c.id from made, (select id from companies where organisation_id = $1 order by id limit $4) c)
         insert into company_group_memberships (organisation_id, group_id, membership_id) select $1, id, $3 from made`,
        [organisation, `Of ${size} for ${membershipId}`, membershipId, size],
      );
  },
  fields: ["t.name", "coalesce(t.legal_name, '')", "coalesce(t.client_number, '')", "coalesce(t.website, '')"],
  terms: [..."alfa,bèta,gamma,delta,epsilon,zeta,verweg,grens,nergens,a,é,qz,e,%,_,\\".split(","), "x".repeat(20), ...ODD],
  orders: () => ({
    ...both(
      {
        client_number: text("t.client_number"),
        status: text("t.status"),
        created_at: "t.created_at",
        updated_at: "t.updated_at",
        assignee:
          text(`(select coalesce(nullif(a.full_name, ''), a.email) from company_assignees p join accounts a on a.id = p.account_id
          where p.organisation_id = t.organisation_id and p.company_id = t.id and p.is_primary)`),
      },
      `${text("t.name")}, t.id`,
      ["client_number", "assignee"],
    ),
    name: `${text("t.name")}, t.id`,
    "-name": `${text("t.name")} desc, t.id desc`,
  }),
  filters: (_callers, { accountId }) => [
    ["&status=lead", "t.status = 'lead'"],
    ["&status=active,archived", "t.status in ('active', 'archived')"],
    ["&mine=true", `exists (select 1 from company_assignees p where p.company_id = t.id and p.account_id = '${accountId}')`],
  ],
  visible: (membership) => `t.id in (${companiesOf(membership)})`,
};

const contacts: Reference = {
  path: "/contacts",
  table: "contacts",
  async fill(sql, organisation, _callers, rows, seeded) {
    const { random, pick } = seeded;
    const made = Array.from({ length: rows }, (_, n) => ({
      // The sorts by name have indexes of their own, whose entries cannot hold longer ones.
      first_name: `${beginning(seeded)} ${random() < 0.2 ? pick(ODD) : random() < 0.05 ? long(seeded, 250) : ""}`,
      last_name: random() < 0.05 ? long(seeded, 600) : words(seeded) || null,
      email: random() < 0.7 ? `mail${n}@example.com` : null,
      job_title: random() < 0.7 ? pick(["Inkoper", "inkoper", "Directeur"]) : null,
      created_at: creation(seeded),
      updated_at: moment(seeded),
    }));
    const types = "first_name text, last_name text, email text, job_title text, created_at timestamptz, updated_at timestamptz";
    // A link touches its contact, so the moments of the data are put back once the links stand.
    await insert(sql, "contacts", types.replaceAll(/ (text|timestamptz)/g, ""), types, made, organisation);
    await sql.query(
      `insert into contact_links (organisation_id, contact_id, company_id)
       select distinct $1::uuid, t.id, o.id from
         (select id, row_number() over (order by id) as n from contacts where organisation_id = $1) t
         cross join generate_series(1, 2) again
         join (select id, row_number() over (order by id) as n from companies where organisation_id = $1) o on o.n = 1 + t.n * (2 * again + 1) % $2
        where t.n % 5 > again`,
      [organisation, rows],
    );
    await sql.query(
      `update contacts set updated_at = timestamptz '2023-01-01' + interval '1100 days' *
        (get_byte(uuid_send(id), 2) / 256.0 + get_byte(uuid_send(id), 3) / 65536.0) where organisation_id = $1`,
      [organisation],
    );
  },
  fields: ["t.first_name", "coalesce(t.last_name, '')", "coalesce(t.email, '')"],
  terms: [..."alfa,bèta,gamma,delta,epsilon,zeta,verweg,nergens,a,é,qz,mail1,%,_,\\".split(","), ...ODD],
  orders: (membership) => ({
    ...both(
      {
        first_name: text("t.first_name"),
        last_name: text("t.last_name"),
        email: text("t.email"),
        job_title: text("t.job_title"),
        updated_at: "t.updated_at",
        company:
          text(`(select c.name from contact_links l join companies c on c.organisation_id = l.organisation_id and c.id = l.company_id
          where l.organisation_id = t.organisation_id and l.contact_id = t.id ${membership ? `and c.id in (${companiesOf(membership)})` : ""}
          order by c.name collate kantoor_text limit 1)`),
      },
      "t.created_at desc, t.id",
      ["last_name", "email", "job_title", "company"],
    ),
    created_at: "t.created_at, t.id",
    "-created_at": "t.created_at desc, t.id desc",
  }),
  filters: () => [],
  visible: (membership) =>
    `(not exists (select 1 from contact_links l where l.organisation_id = t.organisation_id and l.contact_id = t.id)
      or exists (select 1 from contact_links l where l.contact_id = t.id and l.company_id in (${companiesOf(membership)})))`,
};

const requests: Reference = {
  path: "/leave/requests",
  everyone: "&all_users=true",
  table: "leave_requests",
  async fill(sql, organisation, { owner, few, many }, rows, seeded) {
    const { random, pick } = seeded;
    await sql.query("insert into leave_types (id, organisation_id, key) values (gen_random_uuid(), $1, 'reference')", [
      organisation,
    ]);
    const made = Array.from({ length: rows }, () => {
      const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 2000)));
      const last = new Date(day.getTime() + 86_400_000 * Math.floor(random() * 4));
      return {
        user_id: pick([owner, few, many]).accountId,
        status: pick(["pending", "approved", "rejected", "cancelled"]),
        start_date: day.toISOString().slice(0, 10),
        end_date: last.toISOString().slice(0, 10),
        hours: 1 + Math.floor(random() * 30),
        created_at: creation(seeded),
        updated_at: moment(seeded),
      };
    });
    await sql.query(
      `insert into leave_requests (id, organisation_id, leave_type_id, user_id, status, start_date, end_date, hours, created_at, updated_at)
       select gen_random_uuid(), $1, y.id, r.* from leave_types y, jsonb_to_recordset($2::jsonb) as r
         (user_id uuid, status text, start_date date, end_date date, hours numeric, created_at timestamptz, updated_at timestamptz)
        where y.organisation_id = $1 and y.key = 'reference'`,
      [organisation, JSON.stringify(made)],
    );
  },
  fields: [],
  terms: [],
  orders: () => ({
    ...both(
      {
        employee: text("(select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.user_id)"),
        end_date: "t.end_date",
        hours: "t.hours",
        status: "t.status",
        created_at: "t.created_at",
      },
      "t.start_date, t.id",
    ),
    start_date: "t.start_date, t.id",
    "-start_date": "t.start_date desc, t.id desc",
  }),
  filters: ({ few }) => [
    ["&year=2021", "t.start_date between '2021-01-01' and '2021-12-31'"],
    ["&status=pending", "t.status = 'pending'"],
    [`&user_id=${few.accountId}`, `t.user_id = '${few.accountId}'`],
  ],
};

export const REFERENCES: readonly Reference[] = [companies, contacts, requests];
