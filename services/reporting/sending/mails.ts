import { GREETING, type MailKind } from "../../../core/declare/messages.ts";

/** The mail that delivers a report, in the report's language. */
export const reportMails = {
  "reporting.report": {
    variables: ["client", "title", "period", "sender"],
    overridable: true,
    hasNoLink: true,
    texts: {
      nl: {
        subject: "{{ title }} voor {{ client }}",
        body: [
          GREETING.nl,
          "In de bijlage vindt u de rapportage voor {{ client }} over {{ period }}.",
          "Wij lichten de cijfers graag toe.",
          "Met vriendelijke groet,{% if sender %} {{ sender }},{% endif %} {{ brand }}",
        ],
      },
      en: {
        subject: "{{ title }} for {{ client }}",
        body: [
          GREETING.en,
          "Attached you will find the report for {{ client }} about {{ period }}.",
          "We are happy to explain the figures.",
          "Kind regards,{% if sender %} {{ sender }},{% endif %} {{ brand }}",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof reportMails, true> {}
}
