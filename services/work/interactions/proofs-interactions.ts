import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

const SEED = `insert into interaction_kinds (id, organisation_id, key, is_protected) select gen_random_uuid(), $1, k.key, k.key = 'email'
  from (values ('email'), ('call'), ('note')) k (key) on conflict do nothing`;

/** Turns a contact moment into a pending message of the owner's mailbox. */
const waits = async ({ sql, tenant }: Place, id: string): Promise<void> => {
  await sql.query(
    `update interactions set source = 'mail', status = 'pending', kind = 'email', owner_account_id = $3, version = 1
      where organisation_id = $1 and id = $2`,
    [tenant.organisation.id, id, tenant.owner.accountId],
  );
};

/** Fixtures of contact moments for the generic tests. */
export const interactionsProofs: DefineProofs = ({ next, insert, named, make }) => {
  const filingOf = async (place: Place) => {
    const contact_id = await make("contact_id", place);
    const [project_id, task_id] = [await make("project_id", place), await make("task_id", place)];
    return { company_id: place.companyId, project_id, task_id, contact_id, contact_ids: [contact_id] };
  };
  return {
    arranged: Object.fromEntries(
      ["approve", "remap", "reject"].map((what) => [
        `POST /interactions/{interaction_id}/${what}`,
        (place: Place, { interaction_id: id }: Record<string, string>) => waits(place, id as string),
      ]),
    ),
    personal: Object.fromEntries(
      [
        ...["approve", "remap", "reject"].map((what) => `POST /interactions/{interaction_id}/${what}`),
        ...["approve", "assign", "reject"].map((what) => `POST /interactions/review/${what}`),
      ].map((label) => [label, "only the mailbox's owner (contact moments §3, Review)"]),
    ),
    bodies: Object.fromEntries<(place: Place) => Promise<object>>([
      ...["POST /interactions", "PATCH /interactions/{interaction_id}"].map(
        (label): [string, (place: Place) => Promise<object>] => [
          label,
          async (place) => ({
            kind: "call",
            subject: named(place.token),
            occurred_at: "2026-03-02T09:00:00Z",
            direction: "inbound",
            body_markdown: named(place.token),
            ...(await filingOf(place)),
          }),
        ],
      ),
      ...["approve", "assign", "reject"].map((what): [string, (place: Place) => Promise<object>] => [
        `POST /interactions/review/${what}`,
        async (place: Place) => {
          const id = await make("interaction_id", place);
          await waits(place, id);
          return { ids: [id], ...(what === "assign" && (await filingOf(place))) };
        },
      ]),
    ]),
    makers: {
      kind_id: { ofCompany: false, make: (place) => insert(place, "interaction_kinds", { key: `kind_${next()}` }) },
      interaction_id: {
        ofCompany: true,
        async make(place) {
          await place.sql.query(SEED, [place.tenant.organisation.id]);
          const id = await insert(place, "interactions", {
            kind: "call",
            subject: named(place.token),
            occurred_at: "2026-03-02T09:00:00Z",
            owner_account_id: place.tenant.owner.accountId,
            company_id: place.companyId,
            conversation_id: "00000000-0000-4000-8000-000000000000",
          });
          await place.sql.query("update interactions set conversation_id = id where organisation_id = $1 and id = $2", [
            place.tenant.organisation.id,
            id,
          ]);
          return id;
        },
      },
    },
    lists: {
      interactions: {
        statements: [
          SEED,
          // References the first 200 clients, projects, tasks and contacts.
          `insert into interactions (id, organisation_id, kind, subject, occurred_at, owner_account_id, conversation_id, company_id,
             project_id, task_id, created_at, updated_at)
           select i.id, $1, 'call', 'Moment ' || md5(i.n::text) || case when i.n = 4711 then ' Zeldzaam' else '' end,
                  timestamptz '2020-01-01' + i.n * interval '7 min', $3, i.id, c.ids[1 + i.n % cardinality(c.ids)],
                  case when i.n % 3 > 0 then p.ids[1 + i.n % cardinality(p.ids)] end,
                  case when i.n % 3 = 1 then t.ids[1 + i.n % cardinality(t.ids)] end,
                  timestamptz '2020-01-01' + i.n * interval '7 min', timestamptz '2021-01-01' + (i.n * 7919 % $2) * interval '7 min'
             from (select md5('moment ' || $2 || ' ' || n)::uuid as id, n from generate_series(1, $2::int) n) i,
                  (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c,
                  (select array(select id from projects where organisation_id = $1 order by id limit 200) as ids) p,
                  (select array(select id from tasks where organisation_id = $1 order by id limit 200) as ids) t`,
          `insert into interaction_contacts (organisation_id, interaction_id, contact_id)
           select $1, t.id, c.ids[1 + t.n % cardinality(c.ids)]
             from (select id, row_number() over () as n from interactions where organisation_id = $1) t,
                  (select array(select id from contacts where organisation_id = $1 order by id limit 200) as ids) c
            where t.n % 2 = 0`,
        ],
        filters: {},
        common: "moment",
        rare: "zeldzaam",
        excepted: {},
      },
    },
  };
};
