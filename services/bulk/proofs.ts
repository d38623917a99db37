import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** A value for each kind of record with bulk updates. */
const VALUES: Readonly<Record<string, Record<string, string>>> = {
  company: { status: "lead" },
  domain: { status: "parked" },
  project: { status: "on_hold" },
  subscription: { status: "paused" },
  task: { priority: "low" },
  website: { uptime_enabled: "no" },
};

/** Fixtures of bulk changes for the generic tests. Only tests load this. */
const proofs: DefineProofs = ({ make }) => {
  const kinds = ["contact", "interaction", "invoice", "uptime_monitor", ...Object.keys(VALUES)];
  return {
    makers: Object.fromEntries(
      kinds.map((kind) => [
        `/bulk/${kind} id`,
        // The tests create companies themselves, one per place.
        { ofCompany: kind !== "company", make: (place: Place) => make(`${kind}_id`, place) },
      ]),
    ),
    values: Object.fromEntries(Object.entries(VALUES).map(([kind, values]) => [`/bulk/${kind} values`, () => values])),
    bodies: {
      "POST /bulk/contact/update": async (place) => ({
        ids: [await make("contact_id", place)],
        values: { company: place.companyId },
      }),
      "POST /bulk/uptime_monitor/update": async (place) => ({
        ids: [await make("uptime_monitor_id", place)],
        values: { company: place.companyId },
      }),
    },
  };
};
export default proofs;
