import {
  closed,
  date,
  decimalInput,
  field,
  flag,
  input,
  label,
  multiline,
  neverNull,
  nullable,
  optional,
  shownAs,
  type TProperties,
  Type,
  text,
} from "../../../../core/schema/schema.ts";

/** Longest text accepted before the rules of the field apply. */
const LONGEST = 2048;

/** An id of the provider. */
export const digits = (description: string) => Type.String({ pattern: "^[0-9]{1,32}$", description });
export const validateOnly = optional(field(flag(false), "Whether the provider only validates the request and changes nothing"));
/** The query parameters of every removal. */
export const removeQuery = { validate_only: validateOnly };

const LIMITS = { minimum: -1_000_000_000, maximum: 1_000_000_000 };
const money = (description: string) =>
  shownAs(
    decimalInput({
      ...{ ...LIMITS, decimalPlaces: null },
      description: `${description}, in the account's currency, of at most 6 decimals; as text, too`,
    }),
    { type: "number", ...LIMITS },
  );
/** Facts that the service sets itself: every body ignores them, so that a caller may send a record back. */
const SET_HERE = ["id", "org_id", "organisation_id", "created_at", "updated_at", "created_by", "version"];
/** A body that refuses unknown keys: a misspelt one would change something else at the provider, or nothing. */
const body = <P extends TProperties>(name: string, properties: P) => closed(input(name, properties), SET_HERE);
/** A changeable field; a missing one stays unchanged. */
const change = <T extends Parameters<typeof nullable>[0]>(schema: T) => optional(neverNull(nullable(schema)));
const name = (what: string) => field(label(255), `Name of the ${what}`);
const status = (description: string) => text(16, { description });
const matchType = optional(text(16, { default: "PHRASE", description: "EXACT, PHRASE or BROAD" }));
const ids = (description: string) => Type.Array(digits("An id at the provider"), { minItems: 1, description });

const BUDGET = "Daily budget";
const BID = "Highest bid for a click";
const RUNS = "ENABLED or PAUSED";
const RUNS_OR_ENDS = "ENABLED, PAUSED, or REMOVED alone, which removes it permanently";

export const AdsBudgetCreate = body("AdsBudgetCreate", {
  name: name("budget"),
  amount: money(BUDGET),
  shared: optional(field(flag(false), "Whether several campaigns may spend it")),
  validate_only: validateOnly,
});
export const AdsBudgetUpdate = body("AdsBudgetUpdate", {
  amount: change(money(BUDGET)),
  name: change(name("budget")),
  validate_only: validateOnly,
});

export const AdsCampaignCreate = body("AdsCampaignCreate", {
  name: name("campaign"),
  budget_id: digits("The budget that it spends"),
  channel: optional(text(32, { default: "SEARCH", description: "SEARCH: the only type of campaign that can be created" })),
  target_content_network: optional(field(flag(false), "Whether ads appear on partner websites and apps, too")),
  eu_political_advertising: optional(field(flag(false), "Declares to the provider that the ads are political, in the EU")),
  validate_only: validateOnly,
});
export const AdsCampaignUpdate = body("AdsCampaignUpdate", {
  status: change(status(RUNS_OR_ENDS)),
  name: change(name("campaign")),
  validate_only: validateOnly,
});

export const AdsAdGroupCreate = body("AdsAdGroupCreate", {
  name: name("ad group"),
  campaign_id: digits("Its campaign"),
  cpc_bid: optional(nullable(money(BID))),
  validate_only: validateOnly,
});
export const AdsAdGroupUpdate = body("AdsAdGroupUpdate", {
  status: change(status(RUNS_OR_ENDS)),
  name: change(name("ad group")),
  cpc_bid: change(money(BID)),
  validate_only: validateOnly,
});

const texts = (description: string) => Type.Array(text(LONGEST), { description });
const pathPart = (which: string) => optional(nullable(text(15, { description: `${which} part of the path that the ad shows` })));
export const AdsAdCreate = body("AdsAdCreate", {
  ad_group_id: digits("Its ad group"),
  headlines: texts(
    "3 to 15, of at most 30 characters each, a character of full width counting as two, of an insertion such as `{KeyWord:text}` its default text",
  ),
  descriptions: texts("2 to 4, of at most 90 characters each, counted like headlines"),
  final_urls: texts("1 to 10 addresses of landing pages, http or https"),
  path1: pathPart("First"),
  path2: pathPart("Second"),
  validate_only: validateOnly,
});
export const AdsAdUpdate = body("AdsAdUpdate", {
  ad_group_id: digits("Its ad group"),
  ad_id: digits("The ad"),
  status: status(RUNS),
  validate_only: validateOnly,
});

const AdsKeywordInput = body("AdsKeywordInput", {
  text: text(80, { minLength: 1, description: "The keyword" }),
  match_type: matchType,
  cpc_bid: optional(nullable(money(BID))),
});
export const AdsKeywordsAdd = body("AdsKeywordsAdd", {
  ad_group_id: digits("The ad group that gets them"),
  keywords: Type.Array(AdsKeywordInput, { minItems: 1, description: "Keywords to add, at most 200" }),
  validate_only: validateOnly,
});
export const AdsKeywordUpdate = body("AdsKeywordUpdate", {
  ad_group_id: digits("Its ad group"),
  criterion_id: digits("The keyword"),
  status: change(status(RUNS)),
  cpc_bid: change(money(BID)),
  validate_only: validateOnly,
});
export const AdsKeywordsRemove = body("AdsKeywordsRemove", {
  ad_group_id: digits("Their ad group"),
  criterion_ids: ids("The keywords, at most 200"),
  validate_only: validateOnly,
});

const level = optional(text(16, { default: "campaign", description: "Where they are: campaign, ad_group or shared_set" }));
const parent = digits("The campaign, ad group or list, by `level`");
const AdsNegativeInput = body("AdsNegativeInput", {
  text: text(80, { minLength: 1, description: "The negative keyword" }),
  match_type: matchType,
  reason: optional(multiline(1000, { default: "", description: "Reason; stored with the decision" })),
});
const AdsKeepInput = body("AdsKeepInput", {
  text: text(255, { minLength: 1, description: "A search term that is not to be excluded" }),
  reason: optional(multiline(1000, { default: "", description: "Reason; stored with the decision" })),
  expires_on: optional(
    nullable(field(date(), "Last day on which the decision is valid, in the organisation's zone; null: it does not expire")),
  ),
});
export const AdsNegativesAdd = body("AdsNegativesAdd", {
  level,
  parent_id: parent,
  terms: optional(Type.Array(AdsNegativeInput, { default: [], description: "Negative keywords to add, at most 200" })),
  keep: optional(
    Type.Array(AdsKeepInput, {
      default: [],
      maxItems: 200,
      description: "Terms that were looked at and stay; recorded as decisions even with `validate_only`",
    }),
  ),
  validate_only: validateOnly,
});
export const AdsNegativesRemove = body("AdsNegativesRemove", {
  level,
  parent_id: parent,
  criterion_ids: ids("The negative keywords, at most 200"),
  validate_only: validateOnly,
});

export const AdsNegativeListCreate = body("AdsNegativeListCreate", {
  name: name("list"),
  campaign_ids: optional(
    Type.Array(digits("A campaign"), { default: [], maxItems: 100, description: "Campaigns that the list is attached to" }),
  ),
  validate_only: validateOnly,
});
