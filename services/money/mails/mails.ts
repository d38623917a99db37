import { GREETING, type MailKind } from "../../../core/declare/messages.ts";

const DOCUMENT = ["number", "company", "contact", "total", "date", "reference"];
const INVOICE = [...DOCUMENT, "due_date", "outstanding"];

/** The word for a document by its kind, as on page and PDF: only a credit note has one of these states. */
const named = (credit: string, invoice: string): string =>
  `{% if state == "refund" or state == "set_off" %}${credit}{% else %}${invoice}{% endif %}`;
/** The balance text of a mail: a settled document asks for nothing, and a refund names its amount (money §13, §14). */
const balance = (texts: Record<"refund" | "set_off" | "paid" | "settled" | "partly" | "pay" | "discount", string>): string =>
  `{% case state %}{% when "refund" %} ${texts.refund}{% when "set_off" %} ${texts.set_off}{% when "paid" %} ${texts.paid}` +
  `{% when "settled" %} ${texts.settled}{% else %}{% if outstanding != total %} ${texts.partly}{% endif %}` +
  `{% if due_date %} ${texts.pay}{% endif %}{% if discount %} ${texts.discount}{% endif %}{% endcase %}`;
const ABOUT = {
  nl: "{% if reference %} (uw referentie {{ reference }}){% endif %}",
  en: "{% if reference %} (your reference {{ reference }}){% endif %}",
};

/** Mails that deliver a document to a client, in the document's language (money §13). */
export const invoicingMails = {
  "invoicing.invoice": {
    variables: [...INVOICE, "refund", "state", "discount", "discount_until", "discounted"],
    overridable: true,
    texts: {
      nl: {
        subject: `${named("Creditnota", "Factuur")} {{ number }} van {{ brand }}`,
        body: [
          GREETING.nl,
          `In de bijlage vindt u ${named("creditnota", "factuur")} {{ number }} van {{ date }} voor {{ company }}${ABOUT.nl}. Het totaal is {{ total }}.${balance(
            {
              refund: "U hoeft niets te betalen: wij betalen {{ refund }} aan u terug.",
              set_off: "U hoeft niets te betalen: het bedrag is met uw factuur verrekend.",
              paid: "De factuur is betaald; u hoeft niets meer te doen.",
              settled: "Er staat niets meer open; u hoeft niets te betalen.",
              partly: "Daarvan staat nog {{ outstanding }} open.",
              pay: "Wij ontvangen de betaling graag uiterlijk {{ due_date }}.",
              discount:
                "Betaalt u uiterlijk {{ discount_until }}, dan mag u {{ discount }} in mindering brengen en betaalt u {{ discounted }}.",
            },
          )}`,
          { button: "Factuur bekijken en betalen" },
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: `${named("Credit note", "Invoice")} {{ number }} from {{ brand }}`,
        body: [
          GREETING.en,
          `Attached you will find ${named("credit note", "invoice")} {{ number }} of {{ date }} for {{ company }}${ABOUT.en}. The total is {{ total }}.${balance(
            {
              refund: "There is nothing to pay: we will pay {{ refund }} back to you.",
              set_off: "There is nothing to pay: the amount has been set off against your invoice.",
              paid: "The invoice has been paid; there is nothing left for you to do.",
              settled: "Nothing is due any more; there is nothing to pay.",
              partly: "Of that {{ outstanding }} is still due.",
              pay: "Please pay it by {{ due_date }}.",
              discount: "If you pay by {{ discount_until }}, you may deduct {{ discount }} and pay {{ discounted }}.",
            },
          )}`,
          { button: "View and pay the invoice" },
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
  "invoicing.quote": {
    variables: [...DOCUMENT, "valid_until"],
    overridable: true,
    texts: {
      nl: {
        subject: "Offerte {{ number }} van {{ brand }}",
        body: [
          GREETING.nl,
          `In de bijlage vindt u offerte {{ number }} van {{ date }} voor {{ company }}${ABOUT.nl}. Het totaal is {{ total }}.`,
          "{% if valid_until %}De offerte is geldig tot en met {{ valid_until }}. {% endif %}Laat het ons weten als u vragen heeft.",
          { button: "Offerte bekijken en beslissen" },
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: "Quote {{ number }} from {{ brand }}",
        body: [
          GREETING.en,
          `Attached you will find quote {{ number }} of {{ date }} for {{ company }}${ABOUT.en}. The total is {{ total }}.`,
          "{% if valid_until %}The quote is valid until {{ valid_until }}. {% endif %}Please let us know if you have any questions.",
          { button: "View and decide on the quote" },
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
  "invoicing.reminder": {
    variables: [...INVOICE, "days"],
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
  "invoicing.statement": {
    variables: ["company", "from", "to", "open", "overdue", "credit"],
    overridable: true,
    texts: {
      nl: {
        subject: "Rekeningoverzicht van {{ brand }}",
        body: [
          GREETING.nl,
          "In de bijlage vindt u het rekeningoverzicht van {{ company }} van {{ from }} tot en met {{ to }}.",
          "{% if open %}Er staat {{ open }} open.{% if overdue %} Daarvan is de betaaltermijn van {{ overdue }} verstreken.{% endif %}{% elsif credit %}U heeft {{ credit }} tegoed.{% else %}Er staat niets open.{% endif %}",
          "Met vriendelijke groet, {{ brand }}",
        ],
      },
      en: {
        subject: "Statement of account from {{ brand }}",
        body: [
          GREETING.en,
          "Attached you will find the statement of account of {{ company }} from {{ from }} to {{ to }}.",
          "{% if open %}{{ open }} is open.{% if overdue %} Of that {{ overdue }} is past its due date.{% endif %}{% elsif credit %}You have a credit of {{ credit }}.{% else %}Nothing is open.{% endif %}",
          "Kind regards, {{ brand }}",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof invoicingMails, true> {}
}
