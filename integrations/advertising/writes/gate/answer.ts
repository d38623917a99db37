import { answer, field, flag, instant, list, nullable, Type } from "../../../../core/schema/schema.ts";
import { AdsAccountBrief } from "../../report-schemas.ts";

const line = (description: string) => Type.String({ description });

const AdsMutationResult = answer("AdsMutationResult", {
  index: Type.Integer({ description: "Index of the row in the request, from 0" }),
  ok: field(flag(), "Whether the provider applied it, or would"),
  resource_name: nullable(line("The provider's name of the written object; null if none was written")),
  error_code: nullable(line("The provider's code, such as `criterionError.INVALID_KEYWORD_TEXT`; null if there is none")),
  message: nullable(line("The provider's text; null without one")),
});

const AdsSkipped = answer("AdsSkipped", {
  subject: line("The keyword or term that was left out"),
  reason: line("Translation key of the rule of the policy"),
  blocks: nullable(line("The protected term that it would block; null for other rules")),
  limit: nullable(Type.Number({ description: "The highest amount, in the account's currency; null for other rules" })),
});

/** The result of a write, row by row. */
export const AdsMutationRead = answer(
  "AdsMutationRead",
  {
    account: AdsAccountBrief,
    resource: line("Kind of the written object, such as `campaign_budget`"),
    validate_only: field(flag(), "True if the request asked for validation only, so that nothing changed"),
    requested: Type.Integer({ description: "Rows of the request, skipped ones included" }),
    applied: Type.Integer({ description: "Rows that the provider carried out" }),
    results: field(list(AdsMutationResult), "One for each row that was sent"),
    skipped: field(list(AdsSkipped), "Rows that the policy left out; they were not sent"),
    warnings: field(list(Type.String()), "Translation keys of warnings"),
    fetched_at: field(instant(), "When the write ended, UTC"),
  },
  { account: "The account that was written to" },
);
