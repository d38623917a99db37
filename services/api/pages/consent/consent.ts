import { withParameters } from "../../../../core/http/redirect-address.ts";
import { notice } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import { isChallenge } from "../../../../core/security/pkce.ts";
import type { Reply } from "../inner.ts";
import { refusalOf } from "../layout.ts";
import type { PageAnswer, Visit } from "../visit.ts";
import { consentTexts } from "./consent-texts.ts";
import { returnPlace } from "./return-place.ts";
import { groupName, scopeGroups, scopeName } from "./scopes.ts";

/** The parts of `GET /oauth/consent` that the page shows. */
interface Consent {
  client_name: string;
  client_uri: string | null;
  full: boolean;
  issuer: string;
  may_approve: boolean;
  redirect_uri: string;
  scopes: readonly { value: string; preselected: boolean }[];
}

/** The client's parameters that the page passes to the API. */
const DESCRIBED = ["client_id", "redirect_uri", "scope", "resource"];

const signIn = ({ path, query }: Visit): PageAnswer => ({ location: `/login?next=${encodeURIComponent(`${path}?${query}`)}` });

/** A refusal in the visitor's language. */
const wordsOf = (visit: Visit, reply: Reply): string | null =>
  consentTexts[visit.locale].refused[reply.error?.message ?? ""] ?? refusalOf(visit, reply);

/** Shows an error only to the visitor: the redirect URI is not verified. */
function distrusted(visit: Visit, reply: Reply): PageAnswer {
  const { title } = consentTexts[visit.locale];
  return { status: reply.status, title, body: html`<section><h1>${title}</h1>${notice(wordsOf(visit, reply), true)}</section>` };
}

/**
 * Loads the client's request, or the answer that ends the visit. Only a verified client with a verified redirect URI may receive an error
 * (RFC 6749 §4.1.2.1).
 */
async function described(visit: Visit): Promise<{ consent: Consent } | { answer: PageAnswer }> {
  const { query } = visit;
  const asked = new URLSearchParams([...query].filter(([name]) => DESCRIBED.includes(name)));
  const reply = await visit.call("GET", `/oauth/consent?${asked}`);
  if (reply.status === 401) return { answer: signIn(visit) };
  if (reply.error) return { answer: distrusted(visit, reply) };
  const consent = reply.body as Consent;
  const refuse = (error: string) => ({ answer: backWith(visit, consent, error) });
  if (query.get("response_type") !== "code") return refuse("unsupported_response_type");
  // Without a method the challenge counts as plain (RFC 7636 §4.3).
  const isProven = isChallenge(query.get("code_challenge") ?? "", query.get("code_challenge_method") ?? "plain");
  return isProven ? { consent } : refuse("invalid_request");
}

const backWith = ({ query }: Visit, { redirect_uri: uri, issuer: iss }: Consent, error: string): PageAnswer => ({
  location: withParameters(uri, { error, iss, state: query.get("state") }),
});

/** `GET /oauth/authorize` */
export async function showConsent(visit: Visit): Promise<PageAnswer> {
  const found = await described(visit);
  return "answer" in found ? found.answer : consentPage(visit, found.consent);
}

/** `POST /oauth/authorize`: the visitor's decision. */
export async function decide(visit: Visit): Promise<PageAnswer> {
  const found = await described(visit);
  if ("answer" in found) return found.answer;
  const { consent } = found;
  const { query, form } = visit;
  if (form.get("decision") !== "allow") return backWith(visit, consent, "access_denied");
  const offered = consent.scopes.map(({ value }) => value);
  const reply = await visit.call("POST", "/oauth/consent", {
    client_id: query.get("client_id"),
    redirect_uri: consent.redirect_uri,
    code_challenge: query.get("code_challenge"),
    code_challenge_method: query.get("code_challenge_method"),
    scopes: consent.full && form.has("full") ? offered : form.getAll("scope"),
    ...(query.has("state") && { state: query.get("state") }),
    ...(query.has("resource") && { resource: query.get("resource") }),
  });
  if (reply.status === 401) return signIn(visit);
  if (reply.error) return consentPage(visit, consent, { status: reply.status, wrong: wordsOf(visit, reply) });
  return { location: (reply.body as { redirect_to: string }).redirect_to };
}

/** The permissions on offer, in groups. */
function choices(visit: Visit, { scopes, full }: Consent): Html {
  const { t, locale, form, method } = visit;
  const words = consentTexts[locale];
  const beforehand = new Set(scopes.flatMap(({ value, preselected }) => (preselected ? value : [])));
  const isTicked = (value: string) => (method === "POST" ? form.getAll("scope").includes(value) : beforehand.has(value));
  const box = (name: string, value: string, ticked: boolean, label: string | Html) =>
    html`<label><input type="checkbox" name="${name}" value="${value}"${ticked && html` checked`}><span>${label}</span></label>`;
  const groups = scopeGroups(scopes.map(({ value }) => value));
  return html`${full && html`<div class="checks">${box("full", "yes", form.has("full"), html`<strong>${words.full}</strong><br><span class="soft">${words.fullText}</span>`)}</div>`}
${groups.map(
  ({ group, scopes: values }) =>
    html`<fieldset><legend>${groupName(locale, group)}</legend><div class="checks">${values.map((value) =>
      box("scope", value, isTicked(value), scopeName(locale, value, { own: t.ownOnly, any: t.everybodys })),
    )}</div></fieldset>`,
)}`;
}

/** The consent page: the client, the permissions, the return address and the decision. */
async function consentPage(
  visit: Visit,
  consent: Consent,
  { status = 200, wrong = null }: { status?: number; wrong?: string | null } = {},
): Promise<PageAnswer> {
  const { locale, brand, path, query } = visit;
  const words = consentTexts[locale];
  const me = (await visit.call("GET", "/meta/me")).body as { email: string | null; full_name: string | null } | null;
  const place = returnPlace(consent.redirect_uri);
  const mayGive = consent.may_approve && consent.scopes.length > 0;
  const decision = (value: string, label: string, plain: boolean) =>
    html`<button type="submit" name="decision" value="${value}"${plain && html` class="plain"`}>${label}</button>`;
  const fact = (name: string, value: Html | string | null) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const returns =
    place.host ??
    html`${place.kind === "loopback" ? words.thisComputer : words.thisDevice}<br><span class="soft">${consent.redirect_uri}</span>`;
  const body = html`<section><h1><bdi>${consent.client_name}</bdi> ${words.asks} ${brand.name}</h1>
${notice(wrong, true)}
<dl class="facts">${fact(words.app, html`<bdi>${consent.client_name}</bdi>`)}${fact(words.site, consent.client_uri && html`<bdi>${consent.client_uri}</bdi>`)}${fact(words.returns, returns)}${fact(words.account, me && [me.full_name, me.email].filter(Boolean).join(" · "))}</dl>
<p>${words.beware}</p><p>${words.bounds}</p>
${!consent.may_approve && notice(words.mayNot, true)}${consent.may_approve && !mayGive && notice(words.nothing, true)}
<form method="post" action="${path}?${String(query)}">${mayGive && html`<h2>${words.what}</h2>${choices(visit, consent)}`}
<p class="row">${decision("deny", words.deny, true)}${mayGive && decision("allow", words.allow, false)}</p></form></section>`;
  return { status, title: words.title, body, wide: true, formTarget: place.source };
}
