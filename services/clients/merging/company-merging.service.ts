import { action } from "../../../core/declare/action.ts";
import { service } from "../../../mixins/resource.ts";
import { mergeCompanies } from "./company-merge.ts";
import { CompanyMerge, CompanyMergeResult } from "./merge-schemas.ts";

export default service("companies.merging", {
  actions: {
    merge: action({
      rest: "POST /companies/:company_id/merge",
      summary: "Merge a duplicate into a company",
      description:
        "Everything that refers to the other client then belongs to this one, and the other is deleted; reading its id answers 308 with the new location. Issued documents keep the name and address that they were sent to. It also needs companies.company.write.",
      permission: "companies.company.delete",
      also: ["companies.company.write"],
      conditional: true,
      body: CompanyMerge,
      returns: CompanyMergeResult,
      status: 200,
      errors: ["not_found", "validation errors.merge_with_itself"],
      handler: ({ params: { company_id: id, body } }) => mergeCompanies(id, body.from, body.dry_run ?? false),
    }),
  },
});
