import { languageOf } from "../rendering/texts/formats.ts";

const en = {
  locale: "en",
  invoice: "Invoice",
  credit_note: "Credit note",
  quote: "Quote",
  from: "From",
  to: "For",
  number: "Number",
  date: "Date",
  due: "Due date",
  valid: "Valid until",
  total: "Total",
  paid: "Paid",
  outstanding: "Still to pay",
  state: "State",
  states: {
    ...{ draft: "Draft", open: "Open", paid: "Paid", cancelled: "Cancelled" },
    ...{ accepted: "Accepted", rejected: "Declined", expired: "Expired", invoiced: "Accepted" },
  } as Record<string, string>,
  document: "The document",
  pdf: "Open as PDF",
  pay: "Pay online",
  again: "Look again",
  payment: {
    arrived: "Your payment has arrived. Thank you.",
    processing: "Your payment has been made and is being processed.",
    pending: "We are waiting for word of your payment. This page looks again by itself.",
    waiting: "There is no word of your payment yet. That may take a while; you can close this page.",
    failed: "The payment did not succeed. You can try again.",
    canceled: "The payment was cancelled. You can try again.",
    expired: "The payment took too long. You can try again.",
    underway: "A payment is under way.",
  },
  decide: "Your decision",
  name: "Your name",
  note: "Remark (optional)",
  accept: "Accept",
  reject: "Decline",
  accepted: "You have accepted this quote. Thank you.",
  rejected: "You have declined this quote.",
  decided: "This quote has been decided on already.",
  wrong: {
    name: "Fill in your name, on one line and at most 120 characters.",
    note: "A remark has at most 2,000 characters.",
  } as Record<string, string>,
  refused: {
    payment_not_payable: "There is nothing left to pay on this invoice.",
    other: "Paying online is not possible just now. Try again later, or pay by bank transfer.",
  } as Record<string, string>,
};

const nl: typeof en = {
  locale: "nl",
  invoice: "Factuur",
  credit_note: "Creditnota",
  quote: "Offerte",
  from: "Van",
  to: "Voor",
  number: "Nummer",
  date: "Datum",
  due: "Vervaldatum",
  valid: "Geldig tot en met",
  total: "Totaal",
  paid: "Betaald",
  outstanding: "Nog te betalen",
  state: "Status",
  states: {
    ...{ draft: "Concept", open: "Open", paid: "Betaald", cancelled: "Geannuleerd" },
    ...{ accepted: "Geaccepteerd", rejected: "Afgewezen", expired: "Verlopen", invoiced: "Geaccepteerd" },
  },
  document: "Het document",
  pdf: "Openen als PDF",
  pay: "Online betalen",
  again: "Opnieuw kijken",
  payment: {
    arrived: "Je betaling is ontvangen. Dank je wel.",
    processing: "Je betaling is gedaan en wordt verwerkt.",
    pending: "We wachten op bericht over je betaling. Deze pagina kijkt vanzelf opnieuw.",
    waiting: "Er is nog geen bericht over je betaling. Dat kan even duren; je kunt deze pagina sluiten.",
    failed: "De betaling is niet gelukt. Je kunt het opnieuw proberen.",
    canceled: "De betaling is geannuleerd. Je kunt het opnieuw proberen.",
    expired: "De betaling duurde te lang. Je kunt het opnieuw proberen.",
    underway: "Er loopt een betaling.",
  },
  decide: "Je beslissing",
  name: "Je naam",
  note: "Opmerking (mag leeg blijven)",
  accept: "Accepteren",
  reject: "Afwijzen",
  accepted: "Je hebt deze offerte geaccepteerd. Dank je wel.",
  rejected: "Je hebt deze offerte afgewezen.",
  decided: "Over deze offerte is al beslist.",
  wrong: {
    name: "Vul je naam in, op één regel en met hoogstens 120 tekens.",
    note: "Een opmerking heeft hoogstens 2.000 tekens.",
  },
  refused: {
    payment_not_payable: "Er is niets meer te betalen op deze factuur.",
    other: "Online betalen kan nu niet. Probeer het later opnieuw, of betaal per bank.",
  },
};

/** Every text of the pages of documents in one language. */
export type PageTexts = typeof en;

/** The texts in a document's language, English where there are none. */
export const textsOf = (locale: string): PageTexts => (languageOf(locale) === "nl" ? nl : en);
