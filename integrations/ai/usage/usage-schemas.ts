import { answer, field, integer, list, nullable, Type } from "../../../core/schema/schema.ts";

export const AIUsageSummary = answer("AIUsageSummary", {
  month: Type.String({ description: "`YYYY-MM`, in UTC" }),
  tokens_total: field(integer(), "Tokens used in the month, sent and received"),
  budget: field(nullable(integer()), "Tokens allowed in it; null without a limit"),
  features: field(
    list(
      answer("AIUsageFeature", {
        feature: Type.String({ description: "Key of the feature, or `test` for tests of the settings" }),
        tokens_in: field(integer(), "Tokens sent to models"),
        tokens_out: field(integer(), "Tokens received from models"),
        requests: field(integer(), "Calls of models"),
      }),
    ),
    "Use by feature, in alphabetical order",
  ),
});
