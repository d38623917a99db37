import { download } from "../../../core/declare/makers/download.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { Type } from "../../../core/schema/schema.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { requireOrganisationLicence } from "../../../mixins/licence.ts";
import { service } from "../../../mixins/resource.ts";
import { lockQuote } from "../documents/quotes/quote-rows.ts";
import { decideQuote } from "../documents/quotes/quote-writes.ts";
import { pdfAnswer, previewAnswer } from "../rendering/document-answers.ts";
import { linkedPdf, PUBLIC_HEADERS, publicQuote, quoteOfLink, renderedLink } from "./public-rows.ts";
import { PublicQuoteAcceptance, type PublicQuoteDecision, PublicQuoteRead, PublicQuoteRejection } from "./public-schemas.ts";
import { publicly } from "./publicly.ts";

const OPEN = "a caller with the link of a quote may read and decide on it; its token is the credential";
/** The schema does not limit its length, so that every wrong token gets the same answer. */
const path = { token: Type.String() };
const WRONG_STATUS = "conflict errors.invoicing.wrong_status";

const shown = (token: string) => publicly(() => publicQuote(token));

/**
 * Decides by the rules for staff (money §10), with the entered name, as there is no sign-in. Only staff may decide on an expired quote, so
 * that a client cannot accept an old price.
 */
const decided = (token: string, status: "accepted" | "rejected", { name, note }: PublicQuoteDecision) =>
  publicly(async () => {
    await requireOrganisationLicence("invoicing");
    const quote = await lockQuote(await quoteOfLink(token));
    if (!(await publicQuote(token)).decidable) throw conflict("errors.invoicing.wrong_status");
    decideQuote(quote, status, note, name?.trim() || null);
    return publicQuote(token);
  });

/** Quotes by public link, enabled by the same setting as invoice links (money §10, §12). */
export default service("invoicing.public-quotes", {
  mixins: [printing],
  actions: {
    read: openAction({
      rest: "GET /invoicing/public/quotes/:token",
      summary: "Read a quote by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returns: PublicQuoteRead,
      errors: ["not_found"],
      handler: (ctx) => shown(ctx.params.token),
    }),

    preview: download({
      rest: "GET /invoicing/public/quotes/:token/preview",
      verb: "preview",
      summary: "A quote as a page, by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returnsFile: "text/html",
      errors: ["not_found"],
      handler: async (ctx) => previewAnswer(await renderedLink("quote", ctx.params.token), PUBLIC_HEADERS),
    }),

    print: download({
      rest: "GET /invoicing/public/quotes/:token/pdf",
      summary: "A quote as PDF, by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returnsFile: "application/pdf",
      errors: ["not_found", "unavailable"],
      handler: async (ctx) => pdfAnswer(await linkedPdf("quote", ctx.params.token), PUBLIC_HEADERS),
    }),

    accept: openAction({
      rest: "POST /invoicing/public/quotes/:token/accept",
      summary: "Accept an open quote by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      conditional: true,
      status: 200,
      licence: "invoicing",
      body: PublicQuoteAcceptance,
      example: { name: "Anna de Vries", note: "Akkoord, graag starten in april." },
      returns: PublicQuoteRead,
      errors: ["not_found", WRONG_STATUS],
      handler: (ctx) => decided(ctx.params.token, "accepted", ctx.params.body),
    }),

    reject: openAction({
      rest: "POST /invoicing/public/quotes/:token/reject",
      summary: "Reject an open quote by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      conditional: true,
      status: 200,
      licence: "invoicing",
      body: PublicQuoteRejection,
      example: { name: "Anna de Vries", note: "We stellen het een jaar uit." },
      returns: PublicQuoteRead,
      errors: ["not_found", WRONG_STATUS],
      handler: (ctx) => decided(ctx.params.token, "rejected", ctx.params.body),
    }),
  },
});
