import {
  answer,
  decimalInput,
  flag,
  input,
  integer,
  json,
  line,
  list,
  multiline,
  nullable,
  optional,
  shownAs,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { LONGEST_TERM } from "./terms.ts";

/** Longest prose text, in characters. */
const LONGEST_PROSE = 8000;
/** Most terms of a list in a request. */
const MOST_SENT = 2000;
const AMOUNT = { minimum: 0, maximum: 1_000_000_000 };

const ABOUT = {
  protected_terms: "Searches that no negative keyword may block",
  banned_phrases: "Phrases that ad texts must not contain, case ignored",
  always_exclude: "Terms that are always to be excluded; for people and programs that classify search terms",
  max_daily_budget:
    "Highest daily budget, in the account's currency. Without one, of the organisation or of the account, no budget can be set above 1,000 EUR or a round amount near it",
  max_budget_increase_pct:
    "Largest fraction by which a budget can be raised above its amount of 24 hours ago: 1 lets it double. Built in: 1",
  max_cpc: "Highest bid for a click, in the account's currency",
  waste_min_cost: "Cost from which a search without conversions counts as waste, in the account's currency",
  waste_min_clicks: "Clicks from which a search without conversions counts as waste",
  steering: "Instructions for people and programs that manage the account",
  ad_copy_rules: "Rules for the texts of ads",
};
const INHERITS = "; null inherits";
const NOT_SET = "; null if not set here";

const terms = (about: string) =>
  optional(
    nullable(
      Type.Array(line({ maxLength: 1000 }), {
        maxItems: MOST_SENT,
        description: `${about}. Each has at most ${LONGEST_TERM} characters; null empties the list`,
      }),
    ),
  );
const amount = (about: string) =>
  optional(
    nullable(
      shownAs(decimalInput({ ...AMOUNT, decimalPlaces: null, description: `${about}; as text, too${INHERITS}` }), {
        type: "number",
        ...AMOUNT,
      }),
    ),
  );
const prose = (about: string) => optional(nullable(multiline(LONGEST_PROSE, { description: `${about}; null empties it` })));
const shownTerms = (description: string) => ({ ...list(Type.String()), description });
const shownAmount = (about: string) => nullable(Type.Number({ description: `${about}${NOT_SET}` }));

export const AdsPolicyWrite = input("AdsPolicyWrite", {
  protected_terms: terms(ABOUT.protected_terms),
  banned_phrases: terms(ABOUT.banned_phrases),
  always_exclude: terms(ABOUT.always_exclude),
  max_daily_budget: amount(ABOUT.max_daily_budget),
  max_budget_increase_pct: amount(ABOUT.max_budget_increase_pct),
  max_cpc: amount(ABOUT.max_cpc),
  waste_min_cost: amount(ABOUT.waste_min_cost),
  waste_min_clicks: optional(nullable(integer(0, undefined, { description: `${ABOUT.waste_min_clicks}${INHERITS}` }))),
  steering: prose(ABOUT.steering),
  ad_copy_rules: prose(ABOUT.ad_copy_rules),
});

export const AdsPolicyRead = answer("AdsPolicyRead", {
  account_id: nullable({ ...uuid(), description: "The account; null for the policy of all accounts" }),
  stored: { ...flag(), description: "Whether anything is stored here" },
  protected_terms: shownTerms(ABOUT.protected_terms),
  banned_phrases: shownTerms(ABOUT.banned_phrases),
  always_exclude: shownTerms(ABOUT.always_exclude),
  max_daily_budget: shownAmount(ABOUT.max_daily_budget),
  max_budget_increase_pct: shownAmount(ABOUT.max_budget_increase_pct),
  max_cpc: shownAmount(ABOUT.max_cpc),
  waste_min_cost: shownAmount(ABOUT.waste_min_cost),
  waste_min_clicks: nullable(Type.Integer({ description: `${ABOUT.waste_min_clicks}${NOT_SET}` })),
  steering: Type.String({ description: ABOUT.steering }),
  ad_copy_rules: Type.String({ description: ABOUT.ad_copy_rules }),
  resolved: json({
    description:
      "The effective policy: the three lists joined, the organisation's terms first (500 each at most); max_daily_budget, max_budget_increase, max_cpc, waste_min_cost and waste_min_clicks of the account, else of the organisation, else built in, null without a limit; agency_steering, account_steering, agency_ad_copy_rules and account_ad_copy_rules as stored",
  }),
});
