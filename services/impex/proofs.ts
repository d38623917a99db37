import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures of imports for the generic tests. Only tests load this. */
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
