import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures of automation for the generic tests. Only tests load this. */
const proofs: DefineProofs = ({ insert, named, nobody }) => ({
  makers: {
    rule_id: {
      ofCompany: false,
      make: (place) => insert(place, "automation_rules", { name: named(place.token), trigger_event: "task.created" }),
    },
    run_id: {
      ofCompany: true,
      make: (place) =>
        insert(place, "automation_runs", {
          rule_name: named(place.token),
          trigger_event: "company.created",
          entity_type: "company",
          entity_id: place.companyId,
          company_id: place.companyId,
          status: "succeeded",
          identity: named(place.token),
        }),
    },
  },
  values: {
    "/automation trigger_event": () => "task.created",
    "/automation conditions": () => ({ field: "title", op: "contains", value: "website" }),
    "/automation actions": () => [{ action_type: "task.create", config: { title: "Bel de klant" } }],
    "/automation payload": () => ({ title: "A website" }),
    "/automation entity_id": nobody,
  },
  lists: {
    automation_runs: {
      statements: [
        // Each of fifty rules has one fiftieth of the runs; a quarter of the runs have no client.
        `insert into automation_rules (id, organisation_id, name, trigger_event)
        select md5('rule ' || $1::uuid || s.n)::uuid, $1, 'Rule ' || s.n, 'task.created' from generate_series(1, 50) s(n)`,
        `insert into automation_runs (id, organisation_id, rule_id, rule_name, trigger_event, entity_type, entity_id, company_id, status,
            identity, created_at, updated_at)
        select md5('run ' || $1::uuid || s.n)::uuid, $1, md5('rule ' || $1 || (1 + s.n % 50))::uuid, 'Rule', 'task.created', 'task',
               gen_random_uuid(), case when s.n % 4 > 0 then c.ids[1 + s.n % cardinality(c.ids)] end, 'succeeded', s.n::text,
               timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
          from generate_series(1, $2::int) s(n), (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
      ],
      filters: {
        rule_id: nobody(),
        status: "failed",
        entity_id: nobody(),
        created_from: "2021-03-01T00:00:00Z",
        created_before: "2020-02-01T00:00:00Z",
      },
      common: "rule",
      rare: "zeldzaam",
      excepted: {},
    },
  },
});
export default proofs;
