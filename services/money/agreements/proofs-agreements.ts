import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of agreements for the generic tests. */
export const agreementProofs: DefineProofs = ({ insert, named, next, make }) => {
  const type = {
    ofCompany: false,
    make: (place: Place) => insert(place, "subscription_types", { key: `type_${next()}`, position: 1 }),
  };
  const template = {
    ofCompany: false,
    make: (place: Place) => insert(place, "subscription_templates", { name: named(place.token), amount: 10 }),
  };
  const raised = async (place: Place) => ({
    subscription_id: await make("subscription_id", place),
    mode: "percent",
    value: 5,
    valid_from: "2036-03-01",
  });
  return {
    makers: {
      subscription_id: {
        ofCompany: true,
        async make(place) {
          // Its first period ends after the row's creation, so it is open.
          const id = await insert(place, "subscriptions", {
            company_id: place.companyId,
            name: named(place.token),
            start_date: "2035-01-15",
            next_invoice_date: "2035-02-15",
          });
          await place.sql.query(
            "insert into subscription_prices (organisation_id, subscription_id, valid_from, amount) values ($1, $2, '2035-01-15', 90)",
            [place.tenant.organisation.id, id],
          );
          return id;
        },
      },
      subscription_type_id: type,
      subscription_template_id: template,
      "/subscriptions/types type_id": type,
      "/subscriptions/templates template_id": template,
      "/subscriptions task_template_id": {
        ofCompany: false,
        make: (place) => make("/tasks/templates template_id", place),
      },
    },
    values: { currency: () => "EUR" },
    bodies: { "POST /subscriptions/price-increase": raised, "POST /subscriptions/price-increase/preview": raised },
    fixedLists: { "GET /subscriptions/{subscription_id}/prices": "the prices of one agreement" },
    lists: {
      subscriptions: {
        statements: [
          // For the first 200 clients.
          `insert into subscriptions (id, organisation_id, company_id, name, status, start_date, next_invoice_date, subscription_type_id,
              created_at, updated_at)
            select md5('subscription ' || $2 || ' ' || s.n)::uuid, $1, c.ids[1 + s.n % cardinality(c.ids)],
                   (array['Hosting','Support','Retainer','Licence','Care'])[1 + s.n % 5] || ' Agreement ' || md5(s.n::text) ||
                   case when s.n = 4711 then ' Zeldzaam' else '' end,
                   (array['active','active','active','active','draft','paused','cancelled'])[1 + s.n % 7], date '2020-01-01' + s.n % 2000,
                   case when s.n % 9 > 0 then date '2021-01-01' + s.n % 2000 end, null,
                   timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
              from generate_series(1, $2::int) s(n),
                   (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
          `insert into subscription_prices (organisation_id, subscription_id, valid_from, amount)
            select organisation_id, id, start_date, 90 from subscriptions
             where organisation_id = $1`,
          // Types and presets of other organisations.
          `with kinds as (insert into subscription_types (id, organisation_id, key)
              select gen_random_uuid(), md5(n::text)::uuid, 'type_' || n from generate_series(1, 10000) n on conflict do nothing)
            insert into subscription_templates (id, organisation_id, name)
              select gen_random_uuid(), md5(n::text)::uuid, 'Preset ' || n from generate_series(1, 10000) n`,
          // Gives each agreement one of ten new types.
          `with y as (insert into subscription_types (id, organisation_id, key, position)
              select gen_random_uuid(), $1, 'own_' || n, n from generate_series(1, 10) n returning id)
            update subscriptions s set subscription_type_id = (array(select id from y))[1 + get_byte(uuid_send(s.id), 15) % 10]
             where organisation_id = $1`,
          // Links every fifth agreement to a project and a task.
          `with s as (select id, organisation_id, row_number() over () as n from subscriptions
                where organisation_id = $1),
             p as (insert into subscription_projects (organisation_id, subscription_id, project_id)
              select organisation_id, id, gen_random_uuid() from s where n % 5 = 0)
            insert into subscription_tasks (organisation_id, subscription_id, task_id)
              select organisation_id, id, gen_random_uuid() from s where n % 5 = 0`,
        ],
        filters: {
          company_id: "00000000-0000-4000-8000-000000000000",
          status: ["paused", "cancelled"],
          subscription_type_id: "00000000-0000-4000-8000-000000000000",
        },
        common: "agreement",
        rare: "zeldzaam",
        excepted: {
          amount: "the price of today is in another table, and no index knows the day (money §9)",
          company: "the name of a client is in another table (money §9)",
          type: "the order of types is configured, in another table (money §9)",
        },
      },
    },
  };
};
