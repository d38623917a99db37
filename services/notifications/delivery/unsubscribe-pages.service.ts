import { localeOf } from "../../../core/config/defaults.ts";
import { htmlPage } from "../../../core/declare/makers/html-page.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { button, form, notice } from "../../../core/pages/elements.ts";
import { html } from "../../../core/pages/html.ts";
import type { PageMade } from "../../../core/pages/page.ts";
import { request } from "../../../core/request/context.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { readToken, type Unsubscription, unsubscribe } from "./unsubscribing.ts";

const OPEN = "the token of the link in a mail is the credential";
const path = { token: Type.String() };

const TEXTS = {
  nl: {
    title: "E-mail afmelden",
    ask: (event: string | null) =>
      event === null
        ? "Wil je geen e-mail meer over meldingen?"
        : `Wil je geen e-mail meer over meldingen van de soort ‘${event}’?`,
    confirm: "Afmelden",
    done: "Je bent afgemeld. In je voorkeuren zet je dit weer aan.",
  },
  en: {
    title: "Unsubscribe from e-mail",
    ask: (event: string | null) =>
      event === null
        ? "Do you want no more e-mail about notifications?"
        : `Do you want no more e-mail about notifications of the kind ‘${event}’?`,
    confirm: "Unsubscribe",
    done: "You have been unsubscribed. Your preferences switch this on again.",
  },
};

/** The content of the link. @throws 404 for one this installation did not issue */
function unsubscriptionOf(token: string): Unsubscription {
  const found = readToken(request().organisation.id, token);
  if (!found) throw notFound();
  return found;
}

function pageOf(token: string, isDone: boolean): PageMade {
  const { event } = unsubscriptionOf(token);
  const locale = localeOf(null, request().organisation.locale);
  const { title, ask, confirm, done } = TEXTS[locale];
  const inside = isDone
    ? notice(done)
    : html`<p>${ask(event)}</p>${form(`/notifications/unsubscribe/${token}`, {}, html`<p class="buttons">${button(confirm)}</p>`)}`;
  return { locale, title, body: html`<h1>${title}</h1>${inside}`.text };
}

/** Unsubscribes from notification mail by a link in it: viewing changes nothing, one POST does it, also from a mail program (RFC 8058). */
export default service("notifications.unsubscribe-pages", {
  actions: {
    ask: htmlPage({
      page: "GET /notifications/unsubscribe/:token",
      summary: "Ask whether mail about notifications is to end",
      open: OPEN,
      needs: "nothing",
      path,
      handler: (ctx) => pageOf(ctx.params.token, false),
    }),

    end: htmlPage({
      page: "POST /notifications/unsubscribe/:token",
      summary: "End mail about notifications",
      open: OPEN,
      needs: "nothing",
      path,
      handler(ctx) {
        const { token } = ctx.params;
        unsubscribe(unsubscriptionOf(token));
        return pageOf(token, true);
      },
    }),
  },
});
