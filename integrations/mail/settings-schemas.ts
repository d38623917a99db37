import { LOCALES } from "../../core/config/defaults.ts";
import { MAIL_PROVIDERS, MAIL_SECURITY } from "../../core/config/mail-choices.ts";
import {
  answer,
  choice,
  email,
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
} from "../../core/declare/schema.ts";
import { rewordable } from "../../core/mail/mail-kinds.ts";
import { MOST_BODY, MOST_SUBJECT } from "./template.ts";

const PROVIDERS = [...MAIL_PROVIDERS, "instance"] as const;

export const EmailSettingsRead = answer("EmailSettingsRead", {
  provider: nullable(choice(PROVIDERS, { description: "What is stored; null is nothing" })),
  from_address: nullable(Type.String()),
  from_name: nullable(Type.String()),
  reply_to: nullable(Type.String()),
  host: nullable(Type.String()),
  port: nullable(Type.Integer()),
  security: nullable(choice(MAIL_SECURITY)),
  username: nullable(Type.String()),
  has_secret: flag(),
  active_provider: nullable(choice(PROVIDERS, { description: "What would send now; null is nothing" })),
  instance_available: Type.Boolean({ description: "Whether `instance` may be chosen" }),
  last_failure: nullable(answer("EmailFailure", { kind: Type.String(), error: nullable(Type.String()), failed_at: instant() })),
});

export const EmailSettingsWrite = input("EmailSettingsWrite", {
  provider: choice(PROVIDERS),
  from_address: optional(nullable(text(320))),
  from_name: optional(nullable(text(255))),
  reply_to: optional(nullable(text(320))),
  host: optional(nullable(text(255))),
  port: optional(nullable(integer(1, 65_535))),
  security: optional(nullable(choice(MAIL_SECURITY))),
  username: optional(nullable(text(255))),
  secret: writeOnly(1024),
});

const TO = optional(nullable(email()));

export const EmailTest = input("EmailTest", { to: TO });
export const EmailTestResult = answer("EmailTestResult", { ok: flag(), error: nullable(Type.String()) });

export const EmailTemplateRead = answer("EmailTemplateRead", {
  kind: Type.String(),
  locale: choice(LOCALES),
  variables: list(Type.String()),
  subject: Type.String({ description: "Blank: the built-in subject" }),
  body: Type.String({ description: "HTML with Liquid; blank: the built-in text" }),
  default_subject: Type.String(),
  default_body: Type.String(),
});

/** Whatever any organisation may reword; the modules it has enabled narrow this. */
const KIND = choice(rewordable());

const words = { subject: optional(nullable(text(MOST_SUBJECT))), body: optional(nullable(multiline(MOST_BODY))) };

export const EmailTemplatesWrite = input("EmailTemplatesWrite", {
  templates: Type.Array(input("EmailTemplateWrite", { kind: KIND, locale: choice(LOCALES), ...words }), { maxItems: 200 }),
});

export const EmailTemplateTest = input("EmailTemplateTest", {
  kind: KIND,
  locale: optional(nullable(choice(LOCALES))),
  ...words,
  to: TO,
});
