import {
  answer,
  field,
  flag,
  input,
  instant,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const said = (description: string) => Type.String({ description });

export const AdsAccountRead = answer("AdsAccountRead", {
  id: { ...uuid(), description: "The account, as this service knows it" },
  customer_id: said("The provider's id of the account, ten digits"),
  customer_id_formatted: said("The same with hyphens, where it has 10 digits"),
  login_customer_id: nullable(said("The manager through which it is called, digits only; null if it is called directly")),
  company_id: nullable(field(uuid(), "The client whose account it is; null for one of no client")),
  company_name: nullable(said("Name of the client; null without one")),
  connection_id: nullable(field(uuid(), "The colleague's connection that it is called with; null without one")),
  descriptive_name: said("Its name at the provider, if known"),
  currency_code: nullable(said("Currency of its amounts, ISO 4217; null if unknown")),
  time_zone: nullable(said("Zone that its days are in, IANA; null if unknown")),
  is_manager: field(flag(false), "Whether it manages other accounts and has no figures of its own"),
  test_account: field(flag(false), "Whether it is a test account, whose ads are never shown"),
  conversion_tracking_status: nullable(said("How conversions are tracked, in the provider's words; null if unknown")),
  optimization_score: nullable(Type.Number({ description: "The provider's score, 0 to 1; null if the provider reports none" })),
  active: field(flag(true), "False: unlinked. Its history stays, and it is not read any more"),
  status: said("`active`, or `error` where the last call failed: see `last_error`"),
  last_error: nullable(said("Why the last call failed, without credentials; null while it works")),
  last_verified_at: nullable(field(instant(), "When the provider last confirmed the account, UTC; null before that")),
  last_synced_at: nullable(field(instant(), "When its figures were last read, UTC; null before that")),
});

export const AdsAccountCreate = input("AdsAccountCreate", {
  customer_id: text(32, {
    minLength: 1,
    description: "The account's ten digits, as `123-456-7890`, `1234567890` or `customers/1234567890`",
  }),
  company_id: optional(nullable(field(uuid(), "The client of the account; absent keeps the client of a linked account"))),
  login_customer_id: optional(
    nullable(
      text(32, {
        description: "Id of the manager through which it is called, spelled like `customer_id`; absent keeps the stored one",
      }),
    ),
  ),
  descriptive_name: optional(text(255, { default: "", description: "Its name; blank keeps the stored one, else the id" })),
  currency_code: optional(nullable(text(3, { description: "Currency of its amounts, ISO 4217; absent keeps the stored one" }))),
  time_zone: optional(nullable(text(64, { description: "Zone of its days, IANA; absent keeps the stored one" }))),
});

export const AdsAccountUpdate = input("AdsAccountUpdate", {
  company_id: optional(nullable(field(uuid(), "The client whose account it is; null detaches it"))),
  login_customer_id: optional(
    nullable(
      text(32, {
        description: "Id of the manager through which it is called, spelled like an account's; null calls it directly",
      }),
    ),
  ),
  active: optional(neverNull(nullable(field(flag(), "False unlinks the account, true links it again")))),
});

export const AdsAvailableAccount = answer("AdsAvailableAccount", {
  customer_id: said("The provider's id of the account, ten digits"),
  customer_id_formatted: said("The same with hyphens, where it has 10 digits"),
  descriptive_name: said("Its name at the provider, or its id if it has no name"),
  login_customer_id: nullable(said("The manager through which it is reached, digits only; null if it is reached directly")),
  currency_code: nullable(said("Currency of its amounts, ISO 4217; null if unknown")),
  time_zone: nullable(said("Zone of its days, IANA; null if unknown")),
  hint: said("Name of the manager through which it is reached; empty if it is reached directly"),
  already_linked: field(flag(false), "Whether it is linked and active in this organisation"),
});

export const AdsPickerRead = answer("AdsPickerRead", {
  accounts: { ...list(AdsAvailableAccount), default: [], description: "Accounts that the grant reaches, by name" },
  warnings: Type.Array(Type.String(), { default: [], description: "Codes of warnings for readers of the list" }),
});
