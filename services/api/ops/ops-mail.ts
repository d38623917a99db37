import type { IncomingMessage, ServerResponse } from "node:http";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { escapedHtml } from "../../../core/values/text.ts";

interface StoredMail {
  id: string;
  organisation: string;
  kind: string;
  to: { address: string; name: string | null };
  created_at: string;
}
interface Message extends StoredMail {
  subject: string;
  text: string;
  html: string;
}

/** Calls the mail actor as the current visitor. */
type Ask = <T>(action: string, parameters?: Record<string, unknown>) => Promise<T>;

const PATH = /^\/ops\/mail(?:\/([0-9a-f-]{36})(\/html)?)?\/?$/;
const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:60rem}td,th{padding:.3rem .8rem .3rem 0;text-align:left}pre{white-space:pre-wrap;background:#f4f4f5;padding:1rem}iframe{width:100%;height:32rem;border:1px solid #d4d4d8}";

const SAFE = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex, nofollow",
  "Referrer-Policy": "no-referrer",
};
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** For the mail itself: no scripts, no forms, its own origin, framed only by our page. */
const MAIL_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

const mailbox = ({ to }: StoredMail): string => escapedHtml(to.name ? `${to.name} <${to.address}>` : to.address);

const page = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapedHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>\n`;

const listPage = (mails: readonly StoredMail[]): string => {
  const rows = mails.map(
    (mail) =>
      `<tr><td><a href="/ops/mail/${mail.id}">${escapedHtml(mail.created_at)}</a></td><td>${escapedHtml(mail.organisation)}</td><td>${escapedHtml(mail.kind)}</td><td>${mailbox(mail)}</td></tr>`,
  );
  const table = `<table><thead><tr><th>Time</th><th>Organisation</th><th>Kind</th><th>To</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
  const none = "<p>No mail in the last 24 hours.</p>";
  return page(
    "Stored mail",
    `<h1>Stored mail</h1><p>No transport is configured, so these were not sent.</p>${rows.length > 0 ? table : none}`,
  );
};

const messagePage = (mail: Message): string =>
  page(
    mail.subject,
    `<p><a href="/ops/mail">Stored mail</a></p><h1>${escapedHtml(mail.subject)}</h1><p>${escapedHtml(mail.kind)} to ${mailbox(mail)}, ${escapedHtml(mail.created_at)}</p>` +
      `<h2>Text</h2><pre>${escapedHtml(mail.text)}</pre><h2>HTML</h2><iframe sandbox="" title="HTML" src="/ops/mail/${mail.id}/html"></iframe>`,
  );

/** Whether a path is one of the kept-mail pages. */
export const isOpsMail = (path: string): boolean => PATH.test(path);

function write(request: IncomingMessage, response: ServerResponse, type: string, policy: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(200, {
    ...SAFE,
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Security-Policy": policy,
    "Content-Length": bytes.length,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/**
 * Serves mail that an embedded installation keeps instead of sending (conventions §19): as a page, or as JSON to callers that accept it.
 * The caller decides who may look.
 * @throws 404 where no mail is kept, 405
 */
export async function serveOpsMail(path: string, request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
  const found = PATH.exec(path);
  if (!found) throw notFound();
  if (request.method !== "GET" && request.method !== "HEAD")
    throw refusal("method_not_allowed", undefined, { headers: { Allow: "GET, HEAD" } });
  const [, id, html] = found;
  const asJson = /\bapplication\/json\b/.test(request.headers.accept ?? "");
  const send = (type: string, policy: string, body: string) => write(request, response, type, policy, body);
  if (id === undefined) {
    const mails = await ask<StoredMail[]>("mail.kept");
    if (asJson) return send("application/json", PAGE_POLICY, JSON.stringify(mails));
    return send("text/html", PAGE_POLICY, listPage(mails));
  }
  const mail = await ask<Message>("mail.keptOne", { mail_id: id });
  if (html) return send("text/html", MAIL_POLICY, mail.html);
  if (asJson) return send("application/json", PAGE_POLICY, JSON.stringify(mail));
  return send("text/html", PAGE_POLICY, messagePage(mail));
}
