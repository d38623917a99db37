import {
  answer,
  date,
  decimal,
  decimalInput,
  field,
  flag,
  input,
  integer,
  label,
  list,
  multiline,
  neverNull,
  optional,
  type Static,
  Type,
} from "../../../../core/schema/schema.ts";

/** Levels of dunning, the most of them. */
export const MOST_LEVELS = 4;
const MOST_RATES = 40;
const MOST_LANGUAGES = 20;
const MOST_FEE = 1000;

const TEXTS =
  "Own subject and body, at most one for each language; a document in another language gets the built-in ones. They may name values in braces: `{number}`, `{name}`, `{company}`, `{brand}`, `{date}`, `{due_date}`, `{days}`, `{outstanding}`, `{interest}`, `{fees}`, `{costs}`, `{total}`, `{pay_by}`";
const NoticeText = Type.Object(
  {
    language: field(label(2), "Two-letter language of the documents that it is for"),
    subject: field(label(200), "Subject of the mail, and heading of the letter"),
    body: field(multiline(4000, { minLength: 1 }), "Plain text with greeting; the amounts follow it"),
  },
  { $id: "DunningText", "x-usage": "both", additionalProperties: false },
);
const days = () => integer(1, 365);
const payWithin = () => integer(1, 60);

const LEVEL = {
  days: "Days past the due date from which the daily job sends it",
  pay_within: "Days that it gives to pay; at least 14 where it announces costs to a consumer",
  texts: TEXTS,
  fee: "Own fee of the notice to a business, on an invoice in euros, with 2 decimals; it counts towards the statutory costs",
  interest: "Whether it claims statutory interest",
  costs: "Whether it claims statutory collection costs; the first such level announces them to a consumer",
};
const rate = {
  from: field(date(), "The first day on which they hold"),
  business: "Percent a year from businesses, with at most 2 decimals",
  consumer: "Percent a year from consumers, with at most 2 decimals",
};
const percent = () => decimalInput({ minimum: 0, maximum: 100, decimalPlaces: 2 });

const SETTINGS = {
  enabled: "Whether the daily job sends notices; off until a person switches it on",
  levels: "The levels, at most 4, by ascending days; sent, they replace all",
  rates:
    "Rates of statutory interest in addition to those that the service knows, such as those of a new half year; sent, they replace all",
};

export const DunningSettingsRead = answer(
  "DunningSettingsRead",
  {
    enabled: flag(),
    levels: list(
      answer(
        "DunningLevel",
        { days: days(), pay_within: payWithin(), texts: list(NoticeText), fee: decimal(), interest: flag(), costs: flag() },
        LEVEL,
      ),
    ),
    rates: list(
      answer("DunningRate", {
        from: rate.from,
        business: field(decimal(), rate.business),
        consumer: field(decimal(), rate.consumer),
      }),
    ),
  },
  SETTINGS,
);

const LevelWrite = input(
  "DunningLevelWrite",
  {
    days: days(),
    pay_within: optional(integer(1, 60, { default: 7 })),
    texts: optional(Type.Array(NoticeText, { maxItems: MOST_LANGUAGES })),
    fee: optional(decimalInput({ minimum: 0, maximum: MOST_FEE, decimalPlaces: 2 })),
    interest: optional(flag(false)),
    costs: optional(flag(false)),
  },
  LEVEL,
);
const RateWrite = input("DunningRateWrite", {
  from: rate.from,
  business: field(percent(), rate.business),
  consumer: field(percent(), rate.consumer),
});

export const DunningSettingsWrite = input(
  "DunningSettingsWrite",
  {
    enabled: optional(neverNull(flag())),
    levels: optional(Type.Array(LevelWrite, { maxItems: MOST_LEVELS })),
    rates: optional(Type.Array(RateWrite, { maxItems: MOST_RATES })),
  },
  SETTINGS,
);
export type SentDunning = Static<typeof DunningSettingsWrite>;
