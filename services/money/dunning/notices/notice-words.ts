import { languageOf } from "../../rendering/texts/formats.ts";
import type { NoticeText } from "../rules/levels.ts";

/** The words of a notice. */
export interface NoticeWords {
  to: string;
  file: string;
  number: string;
  date: string;
  due_date: string;
  client_number: string;
  description: string;
  amount: string;
  principal: string;
  /** Interest over days at a percentage. */
  interest: (days: number, rate: string, from: string, to: string) => string;
  fees: string;
  costs: string;
  total: string;
  pay_by: string;
  iban: string;
  account_name: string;
  reference: string;
  pay: string;
  /** The announcement to a consumer (art. 6:96 lid 6 BW). */
  announce: (costs: string, payBy: string) => string;
  levels: readonly NoticeText[];
}

const nl: NoticeWords = {
  ...{
    to: "Aan",
    file: "aanmaning",
    number: "Factuurnummer",
    date: "Datum",
    due_date: "Vervaldatum",
    client_number: "Klantnummer",
  },
  ...{ description: "Omschrijving", amount: "Bedrag", principal: "Openstaand op factuur" },
  interest: (days, rate, from, to) => `Wettelijke rente ${rate}%, ${days} dagen (${from} t/m ${to})`,
  ...{ fees: "Aanmaningskosten", costs: "Incassokosten", total: "Te betalen", pay_by: "Uiterlijk betalen op" },
  ...{ iban: "IBAN", account_name: "Ten name van", reference: "Onder vermelding van", pay: "Betaling" },
  announce: (costs, payBy) =>
    `Betaalt u niet binnen veertien dagen, te rekenen vanaf de dag nadat u dit bericht hebt ontvangen, dus uiterlijk op ${payBy}, dan bent u ${costs} aan incassokosten verschuldigd.`,
  levels: [
    {
      subject: "Betalingsherinnering factuur {number}",
      text: "Beste {name},\n\nFactuur {number} van {date} had op {due_date} betaald moeten zijn. Wij hebben {outstanding} nog niet ontvangen. Wilt u het bedrag uiterlijk {pay_by} overmaken?\n\nHebt u intussen betaald, dan kunt u dit bericht als niet verzonden beschouwen.",
    },
    {
      subject: "Aanmaning factuur {number}",
      text: "Beste {name},\n\nOndanks onze herinnering staat factuur {number} van {date} nog open. De betaaltermijn is {days} dagen geleden verstreken. Wij verzoeken u {total} uiterlijk {pay_by} te betalen.",
    },
    {
      subject: "Tweede aanmaning factuur {number}",
      text: "Beste {name},\n\nWij hebben nog geen volledige betaling van factuur {number} van {date} ontvangen. Wij sommeren u {total} uiterlijk {pay_by} te betalen.",
    },
    {
      subject: "Laatste aanmaning factuur {number}",
      text: "Beste {name},\n\nDit is onze laatste aanmaning voor factuur {number} van {date}. Ontvangen wij {total} niet uiterlijk {pay_by}, dan dragen wij de vordering over aan een incassobureau.",
    },
  ],
};

const en: NoticeWords = {
  ...{ to: "To", file: "notice", number: "Invoice number", date: "Date", due_date: "Due date", client_number: "Client number" },
  ...{ description: "Description", amount: "Amount", principal: "Outstanding on invoice" },
  interest: (days, rate, from, to) => `Statutory interest ${rate}%, ${days} days (${from} to ${to})`,
  ...{ fees: "Reminder fees", costs: "Collection costs", total: "To pay", pay_by: "Pay by" },
  ...{ iban: "IBAN", account_name: "Account holder", reference: "Reference", pay: "Payment" },
  announce: (costs, payBy) =>
    `If you do not pay within fourteen days, counted from the day after you received this message, so by ${payBy}, you will owe collection costs of ${costs}.`,
  levels: [
    {
      subject: "Payment reminder for invoice {number}",
      text: "Dear {name},\n\nInvoice {number} of {date} was due on {due_date}. We have not received {outstanding} yet. Please pay it by {pay_by}.\n\nIf you have paid in the meantime, please disregard this message.",
    },
    {
      subject: "Demand for payment of invoice {number}",
      text: "Dear {name},\n\nDespite our reminder, invoice {number} of {date} is still unpaid. Payment was due {days} days ago. Please pay {total} by {pay_by}.",
    },
    {
      subject: "Second demand for payment of invoice {number}",
      text: "Dear {name},\n\nWe have not received full payment of invoice {number} of {date}. We demand payment of {total} by {pay_by}.",
    },
    {
      subject: "Final demand for payment of invoice {number}",
      text: "Dear {name},\n\nThis is our final demand for invoice {number} of {date}. If we do not receive {total} by {pay_by}, we will hand the claim to a collection agency.",
    },
  ],
};

/** The words of a notice: Dutch for nl, English for every other language, as on invoices. */
export const noticeWords = (locale: string): NoticeWords => (languageOf(locale) === "nl" ? nl : en);
