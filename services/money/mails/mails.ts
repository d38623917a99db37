import { GREETING, type MailKind } from "../../../core/declare/messages.ts";

const DOCUMENT = ["number", "company", "contact", "total", "date", "reference"];
const INVOICE = [...DOCUMENT, "due_date"];

/** A document by the word for it: what is given back to the client has a negative total. */
const named = (credit: string, invoice: string): string => `{% if total contains "-" %}${credit}{% else %}${invoice}{% endif %}`;
const payBy = (sentence: string): string => `{% if due_date %}${named("", ` ${sentence}`)}{% endif %}`;
const ABOUT = {
  nl: "{% if reference %} (uw referentie {{ reference }}){% endif %}",
  en: "{% if reference %} (your reference {{ reference }}){% endif %}",
};

/** Mails that bring a document to a client; they speak the document's language (money §13). */
export const invoicingMails = {
  "invoicing.invoice": {
    variables: INVOICE,
    overridable: true,
    texts: {
      nl: {
        subject: `${named("Creditnota", "Factuur")} {{ number }} van {{ brand }}`,
        body: [
          GREETING.nl,
          `In de bijlage vindt u ${named("creditnota", "factuur")} {{ number }} van {{ date }} voor {{ company }}${ABOUT.nl}. Het totaal is {{ total }}.${payBy("Wij ontvangen de betaling graag uiterlijk {{ due_date }}.")}`,
          { button: "Factuur bekijken en betalen" },
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: `${named("Credit note", "Invoice")} {{ number }} from {{ brand }}`,
        body: [
          GREETING.en,
          `Attached you will find ${named("credit note", "invoice")} {{ number }} of {{ date }} for {{ company }}${ABOUT.en}. The total is {{ total }}.${payBy("Please pay it by {{ due_date }}.")}`,
          { button: "View and pay the invoice" },
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
  "invoicing.quote": {
    variables: [...DOCUMENT, "valid_until"],
    overridable: true,
    hasNoLink: true,
    texts: {
      nl: {
        subject: "Offerte {{ number }} van {{ brand }}",
        body: [
          GREETING.nl,
          `In de bijlage vindt u offerte {{ number }} van {{ date }} voor {{ company }}${ABOUT.nl}. Het totaal is {{ total }}.`,
          "{% if valid_until %}De offerte is geldig tot en met {{ valid_until }}. {% endif %}Laat het ons weten als u vragen heeft.",
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: "Quote {{ number }} from {{ brand }}",
        body: [
          GREETING.en,
          `Attached you will find quote {{ number }} of {{ date }} for {{ company }}${ABOUT.en}. The total is {{ total }}.`,
          "{% if valid_until %}The quote is valid until {{ valid_until }}. {% endif %}Please let us know if you have any questions.",
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
  "invoicing.reminder": {
    variables: [...INVOICE, "outstanding", "days"],
    overridable: true,
    texts: {
      nl: {
        subject: "Herinnering: factuur {{ number }} van {{ brand }}",
        body: [
          GREETING.nl,
          `Volgens onze administratie is factuur {{ number }} van {{ date }} voor {{ company }}${ABOUT.nl} nog niet volledig betaald. Er staat {{ outstanding }} open.`,
          "{% if days == 1 %}De betaaltermijn is 1 dag geleden verstreken. {% elsif days != 0 %}De betaaltermijn is {{ days }} dagen geleden verstreken. {% endif %}U vindt de factuur nogmaals in de bijlage. Heeft u intussen betaald, dan kunt u dit bericht als niet verzonden beschouwen.",
          { button: "Factuur bekijken en betalen" },
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: "Reminder: invoice {{ number }} from {{ brand }}",
        body: [
          GREETING.en,
          `According to our records, invoice {{ number }} of {{ date }} for {{ company }}${ABOUT.en} has not been paid in full. {{ outstanding }} is still due.`,
          "{% if days == 1 %}Payment was due 1 day ago. {% elsif days != 0 %}Payment was due {{ days }} days ago. {% endif %}The invoice is attached once more. If you have paid in the meantime, please disregard this message.",
          { button: "View and pay the invoice" },
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof invoicingMails, true> {}
}
