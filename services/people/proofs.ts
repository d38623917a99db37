import { addDays } from "../../core/calendar/calendar.ts";
import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** The working day of generated requests. */
const A_DAY = "2026-03-02";
const WEEK = { mon: { start: "09:00", end: "17:00", breaks: [{ start: "12:00", end: "12:30" }] } };

/** Fixtures of people for the generic tests. Only the tests load it. */
const proofs: DefineProofs = ({ next, insert, idOf, newMember, textFile }) => {
  const newLeaveType = async (place: Place) => {
    await place.sql.query("insert into leave_types_seeded (organisation_id) values ($1) on conflict do nothing", [
      place.tenant.organisation.id,
    ]);
    return insert(place, "leave_types", { key: `leave_${next()}`, tracks_balance: true });
  };
  const leaveTypes = new WeakMap<Place["tenant"], Promise<string>>();
  /** The one leave type of an organisation, created on first use. */
  const leaveTypeOf = (place: Place): Promise<string> => {
    const known = leaveTypes.get(place.tenant) ?? newLeaveType(place);
    leaveTypes.set(place.tenant, known);
    return known;
  };

  return {
    makers: {
      type_id: { ofCompany: false, make: newLeaveType },
      leave_type_id: { ofCompany: false, make: newLeaveType },
      contract_id: {
        ofCompany: false,
        make: async (place) =>
          insert(place, "leave_contracts", {
            user_id: (await newMember(place)).accountId,
            start_date: "2020-01-01",
            contract_hours_per_week: 32,
          }),
      },
      // Inactive, so no one loses a working day.
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
      // No path parameter is a pot or a profile, but lists contain them.
      entitlement_id: {
        ofCompany: false,
        async make(place) {
          const user_id = (await newMember(place)).accountId;
          await insert(place, "leave_profiles", { user_id, hourly_rate: 40 });
          const leave_type_id = await newLeaveType(place);
          return insert(place, "leave_entitlements", { user_id, leave_type_id, year: 2000, hours: 8, source: "manual" });
        },
      },
      // A new member each time: one person cannot be away twice on one day.
      request_id: {
        ofCompany: false,
        make: async (place) =>
          insert(place, "leave_requests", {
            user_id: (await newMember(place)).accountId,
            leave_type_id: await leaveTypeOf(place),
            start_date: A_DAY,
            end_date: A_DAY,
            hours: 8,
          }),
      },
      recurring_id: {
        ofCompany: false,
        make: async (place) =>
          insert(place, "leave_recurring_days", {
            user_id: place.tenant.owner.accountId,
            leave_type_id: await leaveTypeOf(place),
            anchor_date: A_DAY,
            days_per_year: 1,
          }),
      },
      entry_id: {
        ofCompany: false,
        make: (place) =>
          insert(place, "leave_availability", { user_id: place.tenant.owner.accountId, kind: "extra", date: A_DAY }),
      },
      // The upload endpoint stores its bytes.
      document_id: {
        ofCompany: false,
        async make({ tenant, token }) {
          const { body, headers } = textFile(token);
          const query = new URLSearchParams({ user_id: tenant.owner.accountId, category: "other" });
          return idOf(await tenant.owner.post(`/hr/documents?${query}`, body, { headers }));
        },
      },
    },
    values: {
      balance_group: () => "group",
      category: () => "contract",
      // Before the bound of repeats, however high the counter.
      date: () => addDays("2032-01-01", next() % 20_000),
      default_schedule: () => WEEK,
      end_time: () => "17:00",
      holiday_country: () => "NL",
      repeat_until: () => "2099-12-31",
      schedule: () => WEEK,
      start_time: () => "09:00",
      to_date: () => "2026-03-04",
    },
    arranged: {
      "DELETE /leave/entitlements": (place, { user_id, leave_type_id, year }) =>
        insert(place, "leave_entitlements", { user_id, leave_type_id, year: Number(year), hours: 8, source: "manual" }),
      // The action creates missing pots; generating them first and adding one member leaves each call one member's pots to create.
      "POST /leave/entitlements/generate": async (place) => {
        await place.tenant.owner.post("/leave/entitlements/generate", { year: 2000 });
        await newMember(place);
      },
    },
    fixedLists: {
      "GET /leave/availability/days": "one row per day and person of the window; its own test counts the statements",
    },
    lists: {
      leave_requests: {
        statements: [
          `insert into leave_types (id, organisation_id, key) select gen_random_uuid(), $1, 'type_' || n
             from generate_series(1, 10) n`,
          `with k as (select id, row_number() over (order by id) - 1 n from leave_types where organisation_id = $1)
            insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours, created_at, updated_at)
            select gen_random_uuid(), $1, case when n % 500 = 0 then $3 else md5((n % 997)::text)::uuid end,
                   (select id from k where k.n = s.n % 10), (array['pending','approved','approved','rejected','cancelled'])[1 + s.n % 5],
                   date '2000-01-03' + s.n % 9000, date '2000-01-03' + s.n % 9000 + s.n % 7, 1 + s.n % 40,
                   timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
              from generate_series(1, $2::int) s(n)`,
        ],
        filters: { user_id: "$account", year: 2010, status: "pending" },
        common: "",
        rare: "",
        excepted: { employee: "the name of a person is in another table (people §6)" },
      },
    },
  };
};
export default proofs;
