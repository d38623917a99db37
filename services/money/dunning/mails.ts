import type { MailKind } from "../../../core/declare/messages.ts";

/** The mail of a notice; the organisation's own text of the level stands above it (money §20). */
export const dunningMails = {
  "dunning.notice": {
    variables: ["subject", "number", "total", "pay_by", "announced"],
    overridable: false,
    texts: {
      nl: {
        subject: "{{ subject }}",
        body: [
          "Voor {{ name }}, te betalen: {{ total }}, uiterlijk {{ pay_by }}, onder vermelding van {{ number }}. In de bijlagen vindt u de specificatie en de factuur.",
          "{% if announced %}Betaalt u niet binnen veertien dagen, te rekenen vanaf de dag nadat u dit bericht hebt ontvangen, dus uiterlijk op {{ pay_by }}, dan bent u {{ announced }} aan incassokosten verschuldigd.{% endif %}",
          { button: "Factuur bekijken en betalen" },
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: "{{ subject }}",
        body: [
          "For {{ name }}, to pay: {{ total }}, by {{ pay_by }}, with the reference {{ number }}. The specification and the invoice are attached.",
          "{% if announced %}If you do not pay within fourteen days, counted from the day after you received this message, so by {{ pay_by }}, you will owe collection costs of {{ announced }}.{% endif %}",
          { button: "View and pay the invoice" },
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof dunningMails, true> {}
}
