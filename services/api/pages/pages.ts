import type { IncomingMessage, ServerResponse } from "node:http";
import { zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_LOCALE, DEFAULT_ZONE, LOCALES, type Locale } from "../../../core/config/defaults.ts";
import { FORGOTTEN } from "../../../core/http/session-cookie.ts";
import { notice } from "../../../core/pages/elements.ts";
import { html } from "../../../core/pages/html.ts";
import type { HttpAnswer } from "../../../core/request/context.ts";
import { asApiError } from "../http/answers.ts";
import { cookieOf, requireSameOrigin } from "../http/credentials.ts";
import { splitUrl } from "../http/input.ts";
import { receiveAll } from "../http/receiving.ts";
import { showAccount } from "./account/account.ts";
import * as forms from "./account/forms.ts";
import { decide, showConsent } from "./consent/consent.ts";
import { type DeclaredPage, declaredPage, notFoundPage } from "./declared.ts";
import { innerRequest, type Reply } from "./inner.ts";
import { instancePages } from "./instance.ts";
import { documentOf } from "./layout.ts";
import * as passwords from "./passwords.ts";
import * as entry from "./sign-in.ts";
import { css, STYLE_PATH } from "./style.ts";
import { refusalText, texts } from "./texts.ts";
import type { Brand, Page, PageAnswer, Visit } from "./visit.ts";

/** Every built-in page by method and path. */
const pages: Readonly<Record<string, Page>> = {
  "GET /login": entry.showSignIn,
  "POST /login": entry.signIn,
  "POST /login/code": entry.finishSignIn,
  "POST /login/method": entry.chooseMethod,
  "POST /logout": entry.signOut,
  "GET /forgot-password": (visit) => passwords.showForgot(visit),
  "POST /forgot-password": passwords.forgot,
  "GET /reset-password": (visit) => passwords.showNewPassword(visit),
  "POST /reset-password": passwords.newPassword,
  "GET /accept-invite": (visit) => passwords.showNewPassword(visit),
  "POST /accept-invite": passwords.newPassword,
  "GET /verify": passwords.showVerify,
  "POST /verify": passwords.verify,
  "GET /account": (visit) => showAccount(visit),
  "POST /account/name": forms.rename,
  "POST /account/password": forms.changePassword,
  "POST /account/email": forms.changeEmail,
  "POST /account/sessions/end": forms.endSession,
  "POST /account/two-factor/setup": forms.setUpFactor,
  "POST /account/two-factor/confirm": forms.confirmFactor,
  "POST /account/two-factor/codes": forms.renewCodes,
  "POST /account/two-factor/disable": forms.disableFactor,
  "POST /account/keys/create": forms.createKey,
  "POST /account/keys/revoke": forms.revokeKey,
  "POST /account/apps/disconnect": forms.disconnectApp,
  "GET /oauth/authorize": showConsent,
  "POST /oauth/authorize": decide,
};
const pathsOf = (some: object) => new Set(Object.keys(some).map((key) => key.split(" ")[1] as string));
const paths = { organisation: pathsOf(pages), instance: pathsOf(instancePages) };

const LANGUAGE_COOKIE = "kantoor_language";
/** Largest form a page accepts, in bytes. */
const MOST_BYTES = 65_536;

/** Whether a path is one of these pages or their style sheet. @param onInstance on the host of the instance administrators */
export const isPage = (path: string, onInstance = false): boolean =>
  paths[onInstance ? "instance" : "organisation"].has(path) || path === STYLE_PATH;

/** What the pages need from the gateway. */
export interface Road {
  /** Whether the visit is to the host of the instance administrators, which has pages of its own and no organisation. */
  onInstance: boolean;
  /** Calls the API, with its limits, credential and permission checks. @throws its refusals */
  call(request: IncomingMessage): Promise<HttpAnswer>;
  /** The page an actor declares for this path, or null. */
  page: DeclaredPage | null;
  /** The session cookie, if one of the calls renewed it. */
  renewed(): string[];
  /** Scheme, host and port as the visitor sees them. */
  origin(request: IncomingMessage): string;
}

/** Serves a page: a form, its result, or the style sheet. Pages act only through the API. */
export async function servePage(request: IncomingMessage, response: ServerResponse, road: Road): Promise<void> {
  const [path, query] = splitUrl(request.url ?? "/");
  if (path === STYLE_PATH) return sendStyle(request, response);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const call = caller(request, road);
  const about = road.onInstance ? NOWHERE : await organisation(call);
  const parameters = new URLSearchParams(query);
  const locale = languageOf(request, parameters, about.locale);
  const base = { path, query: parameters, locale, t: texts[locale], brand: about.brand, zone: about.zone };
  const language = parameters.has("lang")
    ? [`${LANGUAGE_COOKIE}=${locale}; Path=/; SameSite=Lax; HttpOnly; Max-Age=31536000`]
    : [];
  const answer = await answerOf(request, method, road, { ...base, call }, about.refused);
  // The page's own session cookie, such as after sign-out, overrides a renewed one.
  const session = answer.cookies?.length ? answer.cookies : road.renewed();
  send(request, response, base, answer, [...session, ...language]);
}

async function answerOf(
  request: IncomingMessage,
  method: string,
  road: Road,
  visit: Omit<Visit, "method" | "form">,
  refused: Reply | null,
): Promise<PageAnswer> {
  const { t, locale } = visit;
  const page = (road.onInstance ? instancePages : pages)[`${method} ${visit.path}`];
  const isDeclared = page === undefined && road.page !== null;
  const failed = (status: number, key: string): PageAnswer => ({
    status,
    title: t.failed,
    body: html`<section><h1>${t.failed}</h1>${notice(refusalText(locale, key), true)}</section>`,
    ...(isDeclared && { locale }),
  });
  if (refused?.status === 404) return notFoundPage(visit, isDeclared);
  if (refused) return failed(refused.status, refused.error?.code ?? "unavailable");
  // Another method of this path exists: redirect to where the form starts.
  if (!page && !isDeclared) return { location: road.onInstance ? "/login" : method === "GET" ? "/account" : visit.path };
  try {
    requireSameOrigin(request, road.origin(request));
  } catch {
    return failed(403, "forbidden");
  }
  if (!page) return declaredPage(road.page as DeclaredPage, visit, { signIn: signInAddress(visit), failed });
  const form = method === "POST" ? await readForm(request) : new URLSearchParams();
  if (form === null) return failed(413, "validation");
  return page({ ...visit, method: method as Visit["method"], form });
}

/** The sign-in address that returns the visitor to this page. */
const signInAddress = ({ path, query }: Pick<Visit, "path" | "query">): string =>
  `/login?next=${encodeURIComponent(query.size > 0 ? `${path}?${query}` : path)}`;

/** Calls the API and gives pages answers and refusals in one shape. */
const caller =
  (request: IncomingMessage, road: Road): Visit["call"] =>
  async (method, path, body, once): Promise<Reply> => {
    try {
      const { status, headers, body: text } = await road.call(innerRequest(request, method, `/api/v1${path}`, body, once));
      const cookies = [headers["Set-Cookie"] ?? []].flat();
      return { status, body: text ? JSON.parse(text) : null, cookies, error: null };
    } catch (thrown) {
      const { code: status, type: code, message, data } = asApiError(thrown);
      const { fields = {}, details = {} } = (data ?? {}) as Partial<NonNullable<Reply["error"]>>;
      return { status, body: null, cookies: [], error: { code, message, fields, details } };
    }
  };

const NOBODY: Brand = { name: "Kantoor", logoUrl: null, iconUrl: null, color: null };

/** What the pages of a host show of its organisation, or why they cannot. */
interface About {
  brand: Brand;
  locale: string;
  zone: string;
  refused: Reply | null;
}
const NOWHERE: About = { brand: NOBODY, locale: DEFAULT_LOCALE, zone: DEFAULT_ZONE, refused: null };

/** Loads the organisation's branding from the API. */
async function organisation(call: Visit["call"]): Promise<About> {
  const reply = await call("GET", "/meta/tenant");
  if (reply.error) return { brand: NOBODY, locale: DEFAULT_LOCALE, zone: DEFAULT_ZONE, refused: reply };
  const meta = reply.body as Record<string, string | null>;
  return {
    brand: {
      name: meta["brand_name"] as string,
      logoUrl: meta["logo_url"] ?? null,
      iconUrl: meta["icon_url"] ?? null,
      color: meta["primary_color"] ?? null,
    },
    locale: meta["locale"] as string,
    zone: zoneOr(meta["timezone"], DEFAULT_ZONE),
    refused: null,
  };
}

const known = (locale: string | null | undefined): Locale | undefined => LOCALES.find((one) => one === locale);

/** The language requested, chosen before, first in the browser's list, or the organisation's. */
function languageOf(request: IncomingMessage, query: URLSearchParams, own: string): Locale {
  const accepted = (request.headers["accept-language"] ?? "").split(",").map((part) => part.trim().slice(0, 2).toLowerCase());
  const wanted = [query.get("lang"), cookieOf(request, LANGUAGE_COOKIE), ...accepted, own];
  return wanted.map(known).find((locale) => locale !== undefined) ?? DEFAULT_LOCALE;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const sent = await receiveAll(request, MOST_BYTES);
  return sent && new URLSearchParams(sent.toString("utf8"));
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  base: Pick<Visit, "brand" | "locale" | "path" | "query">,
  answer: PageAnswer,
  cookies: readonly string[],
): void {
  const set = cookies.length > 0 ? { "Set-Cookie": [...cookies] } : {};
  if ("location" in answer) {
    const headers = { Location: answer.location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", ...set };
    response.writeHead(303, answer.forgets ? { ...headers, ...FORGOTTEN } : headers);
    response.end();
    return;
  }
  const { text, headers } = documentOf(base, answer);
  response.writeHead(answer.status, { ...headers, ...set, "Content-Length": Buffer.byteLength(text) });
  response.end(request.method === "HEAD" ? undefined : text);
}

function sendStyle(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(css),
  });
  response.end(request.method === "HEAD" ? undefined : css);
}
