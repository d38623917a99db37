import type { Context } from "moleculer";
import { htmlPage } from "../../../core/declare/makers/html-page.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { field, form, notice } from "../../../core/pages/elements.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import type { PageMade } from "../../../core/pages/page.ts";
import { prepared } from "../../../core/request/context.ts";
import { choice, input, optional, type Static, Type } from "../../../core/schema/schema.ts";
import { compileBody } from "../../../core/schema/validation.ts";
import { service } from "../../../mixins/resource.ts";
import { PublicQuoteAcceptance, type PublicQuoteRead, PublicQuoteRejection } from "../public/public-schemas.ts";
import { day, money } from "../rendering/texts/formats.ts";
import { documentSection, facts } from "./invoice-page.ts";
import { type PageTexts, textsOf } from "./page-texts.ts";
import { sellerOf } from "./seller.ts";

const OPEN = "the token of the link is the credential";
const path = { token: Type.String() };
/** The body of the form. Errors in name and note are shown next to the field. */
const QuoteForm = input("QuoteForm", {
  decision: choice(["accepted", "rejected"]),
  name: optional(Type.String()),
  note: optional(Type.String()),
});
type SentDecision = Static<typeof QuoteForm>;

const DECISIONS = {
  accepted: { call: "invoicing.public-quotes.accept", check: compileBody(PublicQuoteAcceptance, true) },
  rejected: { call: "invoicing.public-quotes.reject", check: compileBody(PublicQuoteRejection, true) },
};

interface FormOutcome {
  status: number;
  text: string;
  /** Invalid fields, and the values entered. */
  wrong: readonly string[];
  sent: SentDecision;
}

function decisionForm(t: PageTexts, address: string, outcome: FormOutcome | null): Html {
  const isWrong = (name: string) => outcome?.wrong.includes(name) ?? false;
  return form(
    address,
    {},
    html`<h2 id="decide">${t.decide}</h2>
${field({ name: "name", label: t.name, autocomplete: "name", value: outcome?.sent.name, required: false, invalid: isWrong("name") })}
<label for="note">${t.note}</label>
<textarea id="note" name="note" rows="4"${isWrong("note") && html` aria-invalid="true" aria-describedby="notice"`}>
${outcome?.sent.note}</textarea>
<p class="buttons"><button type="submit" name="decision" value="accepted">${t.accept}</button>
<button type="submit" name="decision" value="rejected" class="plain">${t.reject}</button></p>`,
  );
}

/** The page of a quote, with the result of a decision. @throws 404 unless the link is live */
async function quotePage(
  ctx: Context<unknown, Meta>,
  token: string,
  outcomeOf?: (t: PageTexts) => Omit<FormOutcome, "sent">,
  sent?: SentDecision,
): Promise<PageMade> {
  const quote = await ctx.call<Static<typeof PublicQuoteRead>, object>("invoicing.public-quotes.read", { token });
  const t = textsOf(quote.locale);
  const outcome = outcomeOf && sent ? { ...outcomeOf(t), sent } : null;
  const title = `${t.quote} ${quote.number}`.trim();
  const address = `/quote/${token}`;
  const { status } = quote;
  const done = status === "accepted" || status === "rejected" || status === "expired" ? t[status] : null;
  const body = html`<h1>${title}</h1>
${outcome && notice(status === "expired" ? t.expired : outcome.text, true)}
<section aria-label="${title}">${!outcome && notice(done)}
${facts([
  [t.from, await sellerOf("quote", "token", token)],
  [t.to, quote.customer_name],
  [t.state, t.states[quote.status] ?? quote.status],
  [t.date, quote.issue_date && day(quote.issue_date)],
  [t.valid, quote.valid_until && day(quote.valid_until)],
  [t.total, money(quote.total, quote.currency, quote.locale)],
])}</section>
${quote.decidable && html`<section aria-labelledby="decide">${decisionForm(t, address, outcome)}</section>`}
${documentSection(t, title, `/api/v1/invoicing/public/quotes/${token}`)}`;
  return { status: outcome?.status ?? 200, locale: t.locale, title, body: body.text };
}

/** The page on which a client reads a quote and accepts or rejects it (money §10); it does nothing the API cannot. */
export default service("invoicing.quote-pages", {
  actions: {
    linked: htmlPage({
      page: "GET /quote/:token",
      summary: "The page of a quote behind its public link",
      open: OPEN,
      needs: "nothing",
      path,
      handler: (ctx) => quotePage(ctx, ctx.params.token),
    }),

    decide: htmlPage({
      page: "POST /quote/:token",
      summary: "Accept or reject a quote on its page",
      open: OPEN,
      needs: "nothing",
      path,
      body: QuoteForm,
      async prepare(ctx): Promise<PageMade> {
        const { token, body: sent } = ctx.params;
        const { call, check } = DECISIONS[sent.decision];
        const body = { name: sent.name?.trim() || undefined, note: sent.note?.replaceAll("\r\n", "\n") || undefined };
        try {
          check(body);
          await ctx.call(call, { token, body });
          // Redirects, so that a reload does not submit the form again.
          return { location: `/quote/${token}` };
        } catch (error) {
          if (!isApiError(error) || (error.code !== 422 && error.code !== 409)) throw error;
          const { code: status } = error;
          const wrong = Object.keys((error.data as { fields?: object } | undefined)?.fields ?? {});
          const text = (t: PageTexts) => wrong.map((name) => t.wrong[name] ?? "").join(" ") || t.decided;
          return quotePage(ctx, token, (t) => ({ status, text: text(t), wrong }), sent);
        }
      },
      handler: () => prepared<PageMade>(),
    }),
  },
});
