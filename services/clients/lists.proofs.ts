import type { AnswerTools, DefineReferences, Reference } from "../../test/support/lists/answers.ts";

const STATUSES = ["lead", "onboarding", "active", "offboarding", "archived"];

const companies = ({
  odd,
  words,
  long,
  beginning,
  moment,
  creation,
  insert,
  text,
  both,
  companiesOf,
}: AnswerTools): Reference => ({
  path: "/companies",
  table: "companies",
  async fill(sql, organisation, { owner, few, many, client }, rows, seeded) {
    const { random, pick } = seeded;
    const made = Array.from({ length: rows }, (_, n) => ({
      // Texts near the maximum length of a search index entry.
      name: n < 9 ? "grens" : `${beginning(seeded)} ${random() < 0.3 ? pick(odd) : pick(["een", "Een", "twee"])}`,
      legal_name:
        n < 9 ? "x".repeat(988 + n) : random() < 0.01 ? long(seeded, n % 100 === 0 ? 10_000 : 1000) : words(seeded) || null,
      client_number: n >= 9 && random() < 0.6 ? `${pick(["K", "k"])}-${n}` : null,
      website: n >= 9 && random() < 0.5 ? `https://www.site${n % 97}.example` : null,
      city: n >= 9 && random() < 0.5 ? pick(["Alfa aan de Rijn", "Zürich", "'s-Hertogenbosch"]) : null,
      status: pick(STATUSES),
      created_at: creation(seeded),
      updated_at: moment(seeded),
    }));
    const types =
      "name text, legal_name text, client_number text, website text, city text, status text, created_at timestamptz, updated_at timestamptz";
    await insert(sql, "companies", types, made, organisation);
    await sql.query(
      `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
       select organisation_id, id, ($2::uuid[])[1 + get_byte(uuid_send(id), 10) % 4], get_byte(uuid_send(id), 11) % 5 > 0 from companies
        where organisation_id = $1 and get_byte(uuid_send(id), 10) % 4 < 3`,
      [organisation, [owner.accountId, few.accountId, many.accountId]],
    );
    for (const [{ membershipId }, size] of [
      [few, 40],
      [many, rows / 3],
      [client, 0.9 * rows],
    ] as const)
      await sql.query(
        `with made as (insert into company_groups (id, organisation_id, name) values (gen_random_uuid(), $1, $2::text) returning id),
           held as (insert into company_group_companies (organisation_id, group_id, company_id)
             select $1, made.id, c.id from made, (select id from companies where organisation_id = $1 order by id limit $4) c)
         insert into company_group_memberships (organisation_id, group_id, membership_id) select $1, id, $3 from made`,
        [organisation, `Of ${size} for ${membershipId}`, membershipId, size],
      );
  },
  fields: [
    "t.name",
    "coalesce(t.legal_name, '')",
    "coalesce(t.client_number, '')",
    "coalesce(t.website, '')",
    "coalesce(t.city, '')",
  ],
  terms: [..."alfa,bèta,gamma,delta,epsilon,zeta,verweg,grens,nergens,a,é,qz,e,%,_,\\".split(","), "x".repeat(20), ...odd],
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
});

const contacts = ({
  odd,
  words,
  long,
  beginning,
  moment,
  creation,
  insert,
  text,
  both,
  companiesOf,
}: AnswerTools): Reference => ({
  path: "/contacts",
  table: "contacts",
  async fill(sql, organisation, _callers, rows, seeded) {
    const { random, pick } = seeded;
    const made = Array.from({ length: rows }, (_, n) => ({
      // The name indexes cannot hold longer entries.
      first_name: `${beginning(seeded)} ${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 250) : ""}`,
      last_name: random() < 0.05 ? long(seeded, 600) : words(seeded) || null,
      email: random() < 0.7 ? `mail${n}@example.com` : null,
      job_title: random() < 0.7 ? pick(["Inkoper", "inkoper", "Directeur"]) : null,
      created_at: creation(seeded),
      updated_at: moment(seeded),
    }));
    const types = "first_name text, last_name text, email text, job_title text, created_at timestamptz, updated_at timestamptz";
    await insert(sql, "contacts", types, made, organisation);
    await sql.query(
      `insert into contact_links (organisation_id, contact_id, company_id)
       select distinct $1::uuid, t.id, o.id from
         (select id, row_number() over (order by id) as n from contacts where organisation_id = $1) t
         cross join generate_series(1, 2) again
         join (select id, row_number() over (order by id) as n from companies where organisation_id = $1) o on o.n = 1 + t.n * (2 * again + 1) % $2
        where t.n % 5 > again`,
      [organisation, rows],
    );
    // No trigger fires for these rows.
    await sql.query(
      `update contacts t set linked = true where organisation_id = $1
         and exists (select 1 from contact_links l where l.organisation_id = $1 and l.contact_id = t.id)`,
      [organisation],
    );
  },
  fields: ["t.first_name", "coalesce(t.last_name, '')", "coalesce(t.email, '')"],
  terms: [..."alfa,bèta,gamma,delta,epsilon,zeta,verweg,nergens,a,é,qz,mail1,%,_,\\".split(","), ...odd],
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
});

/** Reference answers for the lists of clients. Only tests load them. */
const references: DefineReferences = (tools) => [companies(tools), contacts(tools)];
export default references;
