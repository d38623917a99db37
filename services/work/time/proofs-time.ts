import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** The day the generated entries are on. */
const A_DAY = "2026-03-02";

/** What the generic proofs need to know of time. */
export const timeProofs: DefineProofs = ({ next, insert }) => {
  const newEntry = (place: Place, values: object = {}) =>
    insert(place, "time_entries", {
      user_id: place.tenant.owner.accountId,
      company_id: place.companyId,
      started_at: `${A_DAY}T09:00:00Z`,
      ended_at: `${A_DAY}T10:00:00Z`,
      minutes: 60,
      description: place.token,
      ...values,
    });

  return {
    makers: {
      "/time entry_id": { ofCompany: true, make: (place) => newEntry(place) },
      "/time task_id": {
        ofCompany: true,
        async make(place) {
          await place.sql.query(
            "insert into task_statuses (id, organisation_id, key, name, color, is_default) values (gen_random_uuid(), $1, 'open', 'Open', 'sky', true) on conflict do nothing",
            [place.tenant.organisation.id],
          );
          return insert(place, "tasks", { title: place.token, status: "open", company_id: place.companyId });
        },
      },
      "/time type_id": { ofCompany: false, make: (place) => insert(place, "time_entry_types", { key: `type_${next()}` }) },
    },
    values: {
      entry_type_key: () => "work",
      entry_date: () => A_DAY,
    },
    arranged: {
      "POST /time/timer/start": ({ sql, tenant }) =>
        sql.query("update time_entries set ended_at = started_at where organisation_id = $1 and ended_at is null", [
          tenant.organisation.id,
        ]),
      "POST /time/timer/stop": ({ sql, tenant }) =>
        sql.query(
          `insert into time_entries (id, organisation_id, user_id, started_at) select gen_random_uuid(), $1, account_id, now()
             from memberships where organisation_id = $1 on conflict (organisation_id, user_id) where ended_at is null do nothing`,
          [tenant.organisation.id],
        ),
    },
  };
};
