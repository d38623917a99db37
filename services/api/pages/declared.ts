import { html, Html as Markup } from "../../../core/pages/html.ts";
import type { PageMade } from "../../../core/pages/page.ts";
import type { HttpAnswer } from "../../../core/request/context.ts";
import { asApiError } from "../http/answers.ts";
import type { PageAnswer, Visit } from "./visit.ts";

/** A declared page for one request. */
export interface DeclaredPage {
  /** Calls its action with limits, credential and permission checks; null if the page does not support this method. @throws its refusals */
  call: (() => Promise<HttpAnswer>) | null;
}

interface Ways {
  /** The sign-in address for visitors without a session. */
  signIn: string;
  failed(status: number, key: string): PageAnswer;
}

/** The page for everything missing or hidden from this visitor. */
export const notFoundPage = ({ t, locale }: Pick<Visit, "t" | "locale">, isDeclared: boolean): PageAnswer => ({
  status: 404,
  title: t.notFound,
  body: html`<section><h1>${t.notFound}</h1><p>${t.notFoundText}</p></section>`,
  ...(isDeclared && { locale }),
});

/** Statuses shown as not found: no permission, no such record, an invalid address. */
const MISSING = new Set([403, 404, 422]);

/** Renders an actor's declared page. */
export async function declaredPage(
  { call }: DeclaredPage,
  visit: Pick<Visit, "t" | "locale">,
  { signIn, failed }: Ways,
): Promise<PageAnswer> {
  if (!call) return notFoundPage(visit, true);
  try {
    const { body } = await call();
    const made = JSON.parse(body as string) as PageMade;
    if ("location" in made) return made;
    return { ...made, status: made.status ?? 200, body: new Markup(made.body), wide: true };
  } catch (thrown) {
    const { code: status, type: code } = asApiError(thrown);
    if (status === 401) return { location: signIn };
    if (MISSING.has(status)) return notFoundPage(visit, true);
    if (status >= 500 && code !== "unavailable") throw thrown;
    return failed(status, code);
  }
}
