import { LOCALES } from "../../core/config/defaults.ts";
import { MAIL_PROVIDERS, MAIL_SECURITY } from "../../core/config/mail-choices.ts";
import { rewordable } from "../../core/mail/mail-kinds.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import {
  answer,
  choice,
  email,
  field,
  flag,
  input,
  instant,
  integer,
  list,
  multiline,
  nullable,
  optional,
  Type,
  text,
  writeOnly,
} from "../../core/schema/schema.ts";
import { MOST_BODY, MOST_SUBJECT } from "./template.ts";

const PROVIDERS = namedValues("MailProvider", [...MAIL_PROVIDERS, "instance"]);

const SETTINGS = {
  provider: "How mail is sent; `instance` is the transport of the installation, where this organisation may use it",
  from_address: "Sender address; null if none is stored",
  from_name: "Sender name; null uses the organisation's brand name",
  reply_to: "Address that answers go to; null is `from_address`",
  host: "Host name of the SMTP server; null for other providers",
  port: "Port of the SMTP server; null uses the usual one of `security`",
  security: "Encryption of the connection to an SMTP server; `starttls` if omitted",
  username: "User name at the SMTP server; null without one",
  has_secret: "Whether a password or key is stored",
  secret:
    "Password of the SMTP server or key of the provider; never shown again. Absent, null and empty keep the stored one while the server stays",
  last_failure: "The newest mail that could not be sent; null without one",
};

export const EmailSettingsRead = answer(
  "EmailSettingsRead",
  {
    provider: nullable(choice(PROVIDERS, { description: "The stored transport; null if none" })),
    from_address: nullable(Type.String()),
    from_name: nullable(Type.String()),
    reply_to: nullable(Type.String()),
    host: nullable(Type.String()),
    port: nullable(Type.Integer()),
    security: nullable(choice(MAIL_SECURITY)),
    username: nullable(Type.String()),
    has_secret: flag(),
    active_provider: nullable(choice(PROVIDERS, { description: "The effective transport; null if none" })),
    instance_available: Type.Boolean({ description: "Whether `instance` can be chosen" }),
    last_failure: nullable(
      answer("EmailFailure", {
        kind: Type.String({ description: "Kind of the mail" }),
        error: nullable(Type.String({ description: "The provider's message; null if there was none" })),
        failed_at: field(instant(), "When it failed, UTC"),
      }),
    ),
  },
  SETTINGS,
);

export const EmailSettingsWrite = input(
  "EmailSettingsWrite",
  {
    provider: choice(PROVIDERS),
    from_address: optional(nullable(text(320))),
    from_name: optional(nullable(text(255))),
    reply_to: optional(nullable(text(320))),
    host: optional(nullable(text(255))),
    port: optional(nullable(integer(1, 65_535))),
    security: optional(nullable(choice(MAIL_SECURITY))),
    username: optional(nullable(text(255))),
    secret: writeOnly(1024),
  },
  SETTINGS,
);

const TO = optional(nullable(email()));

export const EmailTest = input("EmailTest", { to: field(TO, "Address that gets the test mail; null is the caller's own") });
export const EmailTestResult = answer("EmailTestResult", {
  ok: field(flag(), "Whether the transport accepted the mail"),
  error: nullable(Type.String({ description: "The transport's message or a translation key on failure; null on success" })),
});

export const EmailTemplateRead = answer("EmailTemplateRead", {
  kind: Type.String({ description: "Kind of mail" }),
  locale: field(choice(LOCALES), "Language of the texts"),
  variables: field(list(Type.String()), "Names that subject and body can use"),
  subject: Type.String({ description: "Blank: the built-in subject" }),
  body: Type.String({ description: "HTML with Liquid; blank: the built-in text" }),
  default_subject: Type.String({ description: "The built-in subject" }),
  default_body: Type.String({ description: "The built-in text" }),
});

/** The kinds any organisation may reword; its enabled modules narrow them. */
const KIND = choice(namedValues("MailTextKind", rewordable()));

const words = {
  subject: field(optional(nullable(text(MOST_SUBJECT))), "Subject with Liquid; null or blank uses the built-in one"),
  body: field(optional(nullable(multiline(MOST_BODY))), "HTML with Liquid; null or blank uses the built-in text"),
};

export const EmailTemplatesWrite = input("EmailTemplatesWrite", {
  templates: field(
    Type.Array(
      input("EmailTemplateWrite", {
        kind: field(KIND, "Kind of mail"),
        locale: field(choice(LOCALES), "Language of the texts"),
        ...words,
      }),
      { maxItems: 200 },
    ),
    "All own texts of the organisation, by kind and language; a text that is not listed is the built-in one again",
  ),
});

export const EmailTemplateTest = input("EmailTemplateTest", {
  kind: field(KIND, "Kind of mail"),
  locale: field(optional(nullable(choice(LOCALES))), "Language to send it in; null is the caller's"),
  ...words,
  to: field(TO, "Address that gets the mail; null is the caller's own"),
});
