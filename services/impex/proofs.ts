import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of imports. Loaded by the tests alone. */
const proofs: DefineProofs = ({ insert, nobody }) => ({
  makers: {
    job_id: {
      ofCompany: false,
      make: (place) =>
        insert(place, "impex_jobs", {
          entity: "company",
          starter_id: place.tenant.owner.accountId,
          starter: {},
          options: {},
          dry_run: true,
          file_id: nobody(),
          rows_total: 2001,
        }),
    },
  },
});
export default proofs;
