import { randomBytes } from "node:crypto";
import { type Html, html, Html as Markup } from "../../../core/pages/html.ts";
import { STYLE_PATH } from "../pages/style.ts";
import { opsStyle, refreshScript } from "./style.ts";

/** A page of the operator. */
export interface OpsPage {
  title: string;
  /** The address in the navigation that it belongs to. */
  under: string;
  body: Html;
  /** Whether the navigation has the page of stored mail. */
  hasMail: boolean;
}

const NAVIGATION = [
  ["/ops", "Overview"],
  ["/ops/actions", "Actions"],
  ["/ops/jobs", "Jobs"],
  ["/ops/mails", "Mails"],
  ["/ops/providers", "Providers"],
  ["/ops/statements", "Statements"],
  ["/ops/organisations", "Organisations"],
  ["/ops/nodes", "Nodes"],
] as const;

const SAFE = {
  "Cache-Control": "no-store",
  "X-Robots-Tag": "noindex, nofollow",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Under `no-referrer`, browsers post forms with the origin `null`.
  "Referrer-Policy": "same-origin",
};

/** Headers of every answer of these pages that is no document. */
export const opsHeaders: Readonly<Record<string, string>> = {
  ...SAFE,
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Renders a page of the operator, which renews itself where scripts run. */
export function opsDocument({ title, under, body, hasMail }: OpsPage): { text: string; headers: Record<string, string> } {
  const nonce = randomBytes(16).toString("base64");
  const pages = hasMail ? [...NAVIGATION, ["/ops/mail", "Stored mail"] as const] : NAVIGATION;
  const at = new Date().toISOString();
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>${title} · Kantoor</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<style nonce="${nonce}">${new Markup(opsStyle)}</style>
</head>
<body>
<main>
<header class="brand"><span>Kantoor</span><span class="when" id="when"><time datetime="${at}">${at.slice(11, 19)} UTC</time></span><label><input type="checkbox" id="pause"> Pause</label></header>
<nav class="ops" aria-label="Operations">${pages.map(
    ([href, name]) => html`<a href="${href}"${href === under && new Markup(' aria-current="page"')}>${name}</a>`,
  )}</nav>
<h1>${title}</h1>
<div id="now">
${body}
</div>
</main>
<script nonce="${nonce}">${new Markup(refreshScript)}</script>
</body>
</html>
`.text;
  const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
  return {
    text,
    headers: { ...SAFE, "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy },
  };
}
