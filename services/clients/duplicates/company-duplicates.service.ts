import { action } from "../../../core/declare/action.ts";
import { optional, Type } from "../../../core/schema/schema.ts";
import { demoId } from "../../../core/values/demo-ids.ts";
import { service } from "../../../mixins/resource.ts";
import { duplicatesOf } from "./duplicate-pairs.ts";
import { CompanyDuplicates, DuplicateDismissal, DuplicateDismissed } from "./duplicate-schemas.ts";
import { COMPANIES } from "./duplicate-specs.ts";

const duplicates = duplicatesOf(COMPANIES);

export default service("companies.duplicates", {
  actions: {
    list: action({
      rest: "GET /companies/duplicates",
      summary: "Propose companies that may be the same",
      description:
        "Pairs that share a register or VAT number, a name without its legal form, an address or domain of mail, or the website's domain. Shared mail hosts and keys of more than ten clients do not count.",
      permission: "companies.company.write",
      query: {
        limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Most pairs in the answer" })),
      },
      returns: CompanyDuplicates,
      handler: ({ params: { limit = 20 } }) => duplicates.propose(limit),
    }),

    dismiss: action({
      rest: "POST /companies/duplicates/dismiss",
      summary: "Say that companies are different",
      permission: "companies.company.write",
      body: DuplicateDismissal,
      example: { ids: [demoId("companies", 0), demoId("companies", 1)] },
      returns: DuplicateDismissed,
      status: 200,
      errors: ["not_found"],
      handler: async ({ params: { body } }) => ({ dismissed: await duplicates.dismiss(body.ids) }),
    }),
  },
});
