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
      "/time type_id": { ofCompany: false, make: (place) => insert(place, "time_entry_types", { key: `type_${next()}` }) },
    },
    values: {
      entry_type_key: () => "work",
      entry_date: () => A_DAY,
    },
  };
};
