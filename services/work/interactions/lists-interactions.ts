import type { DefineReferences } from "../../../test/support/lists/answers.ts";

const KINDS = ["email", "call", "note"];
const OWN_CLIENT = "coalesce(t.company_id, (select p.company_id from projects p where p.id = t.project_id))";

/** Reference rows for the list of contact moments, each in its own conversation: another test covers folding. */
export const interactionReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  const linksOf = "from contact_links l where l.organisation_id = c.organisation_id and l.contact_id = c.id";
  /** Contact `c` has no client, or one the member sees: a hidden contact's name must not sort moments. */
  const seenContact = (membership: string) =>
    `(not exists (select 1 ${linksOf}) or exists (select 1 ${linksOf} and l.company_id in (${companiesOf(membership)})))`;
  return [
    {
      path: "/interactions",
      table: "interactions",
      async fill(sql, organisation, { owner, few, many }, rows, seeded) {
        const { random, pick } = seeded;
        await sql.query(
          "insert into interaction_kinds (id, organisation_id, key) select gen_random_uuid(), $1, unnest($2::text[])",
          [organisation, KINDS],
        );
        const companies = await companyIds(sql, organisation);
        const made = Array.from({ length: rows }, () => ({
          kind: pick(KINDS),
          subject: random() < 0.9 ? `${beginning(seeded)} ${random() < 0.3 ? pick(odd) : pick(["een", "Een", "twee"])}` : null,
          snippet: words(seeded) || null,
          body_text: random() < 0.1 ? long(seeded, 600) : null,
          occurred_at: creation(seeded),
          owner_account_id: random() < 0.1 ? null : pick([owner, few, many]).accountId,
          company_id: random() < 0.1 ? null : pick(companies),
          conversation_id: crypto.randomUUID(),
          updated_at: moment(seeded),
        }));
        const types =
          "kind text, subject text, snippet text, body_text text, occurred_at timestamptz, owner_account_id uuid, company_id uuid, conversation_id uuid, updated_at timestamptz";
        await insert(sql, "interactions", types, made, organisation);
        await sql.query(
          `insert into interaction_contacts (organisation_id, interaction_id, contact_id, position)
           select distinct on (t.id, c.id) $1::uuid, t.id, c.id, again from
             (select id, row_number() over (order by id) as n from interactions where organisation_id = $1) t
             cross join generate_series(1, 2) again
             join (select id, row_number() over (order by id) as n from contacts where organisation_id = $1) c on c.n = 1 + t.n * (2 * again + 1) % $2
            where t.n % 5 > again`,
          [organisation, rows],
        );
      },
      fields: ["coalesce(t.subject, '')", "coalesce(t.snippet, '')", "coalesce(t.body_text, '')"],
      terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
      orders: (membership) =>
        both(
          {
            occurred_at: "t.occurred_at",
            subject: text("t.subject"),
            kind: "t.kind",
            contact: text(`(select coalesce(nullif(trim(concat_ws(' ', c.first_name, c.last_name)), ''), c.email)
              from (select f.contact_id from interaction_contacts f where f.organisation_id = t.organisation_id and f.interaction_id = t.id
                order by f.position limit 1) i
              join contacts c on c.organisation_id = t.organisation_id and c.id = i.contact_id${membership === null ? "" : ` and ${seenContact(membership)}`})`),
            owner: text("(select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.owner_account_id)"),
          },
          "t.occurred_at desc, t.id",
          ["subject", "contact", "owner"],
        ),
      filters: ({ few }, { accountId }) => [
        ["&kind=call", "t.kind = 'call'"],
        ["&mine=true", `t.owner_account_id = '${accountId}'`],
        [`&owner_user_id=${few.accountId}`, `t.owner_account_id = '${few.accountId}'`],
      ],
      visible: (membership) => `(${OWN_CLIENT} is null or ${OWN_CLIENT} in (${companiesOf(membership)}))`,
    },
  ];
};
