import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

const SEED = `insert into interaction_kinds (id, organisation_id, key, is_protected) select gen_random_uuid(), $1, k.key, k.key = 'email'
  from (values ('email'), ('call'), ('note')) k (key) on conflict do nothing`;

/** What the generic proofs need to know of contact moments. */
export const interactionsProofs: DefineProofs = ({ next, insert, named }) => ({
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
  values: { kind: () => "call" },
  lists: {
    interactions: {
      statements: [
        `with seeded as (${SEED.replace("$1", "$1::uuid")})
         select 1 where $2::int > 0 and $3::uuid is not null`,
        `insert into interactions (id, organisation_id, kind, subject, occurred_at, owner_account_id, conversation_id)
         select i.id, $1, 'call', 'Moment ' || md5(i.n::text) || case when i.n = 4711 then ' Zeldzaam' else '' end,
                timestamptz '2020-01-01' + i.n * interval '7 min', $3, i.id
           from (select gen_random_uuid() as id, n from generate_series(1, $2::int) n) i`,
      ],
      filters: {},
      common: "moment",
      rare: "zeldzaam",
      excepted: {},
    },
  },
});
