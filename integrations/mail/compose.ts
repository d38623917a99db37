import { localeOf } from "../../core/config/defaults.ts";
import type { MailKindName, MailText } from "../../core/declare/messages.ts";
import type { MailValue } from "../../core/mail/mail.ts";
import { mailKinds } from "../../core/mail/mail-kinds.ts";
import type { MailPicture } from "../../core/mail/mail-now.ts";
import type { Sender } from "../../core/mail/mail-sender.ts";
import { randomHex } from "../../core/security/crypto.ts";
import { offThread } from "../../core/threads/off-thread.ts";
import { TaskFailed } from "../../core/threads/thread-pool.ts";
import { shortened } from "../../core/values/stored-text.ts";
import { escapedHtml, plainWithoutHtml } from "../../core/values/text.ts";
import { htmlPage } from "./layout.ts";
import type { OwnText } from "./own-text.task.ts";
import { sanitised } from "./sanitise.ts";
import { type Medium, MOST_SUBJECT, oneLine, printable, render } from "./template.ts";

/** An organisation's own text; a blank part uses the built-in one. */
export interface Override {
  subject: string;
  body: string;
}

/** The content of a mail, independent of its transport. */
export interface MailParts {
  kind: MailKindName;
  /** The recipient's name and language; null if unknown. */
  name: string | null;
  locale: string | null;
  /** Path with `{token}` in place of the secret, or null. */
  link: string | null;
  token: string;
  variables: Readonly<Record<string, MailValue>>;
  /** The sender's own message, shown first. */
  lead?: string | null | undefined;
  /** Shown below the text. */
  picture?: MailPicture | null | undefined;
}

/** A mail's rendered texts. */
export interface Composed {
  subject: string;
  text: string;
  html: string;
}

/** Rendered off the request's thread, because the organisation's template is untrusted code. */
const ownText = offThread<OwnText, string>(new URL("./own-text.task.ts", import.meta.url));

const isButton = (part: MailText["body"][number]): boolean => typeof part !== "string" && "button" in part;

/** A built-in body as the HTML an organisation would write. */
export const builtInHtml = ({ body }: MailText): string =>
  body
    .map((part) => {
      if (typeof part === "string") return `<p>${part}</p>`;
      if ("button" in part) return `<p><a class="button" href="{{ link }}">${part.button}</a></p>`;
      return `<ul>{% for item in ${part.each} %}<li>{{ item }}</li>{% endfor %}</ul>`;
    })
    .join("\n");

const builtInText = ({ body }: MailText): string =>
  `${body
    .map((part) => {
      if (typeof part === "string") return part;
      if ("button" in part) return `${part.button}:\n{{ link }}`;
      return `{% for item in ${part.each} %}- {{ item }}{% unless forloop.last %}\n{% endunless %}{% endfor %}`;
    })
    .join("\n\n")}\n`;

/** The sender's own message, as plain text. */
const leadOf = ({ lead }: MailParts): string => (printable(lead ?? "") as string).trim();

/** Plain text as paragraphs, with all markup escaped. */
const paragraphs = (text: string): string =>
  text === ""
    ? ""
    : `${text
        .split(/\n{2,}/)
        .map((part) => `<p>${escapedHtml(part).replaceAll("\n", "<br>")}</p>`)
        .join("\n")}\n`;

const shownPicture = ({ picture }: MailParts): string =>
  picture ? `\n<p><img src="cid:${escapedHtml(picture.name)}" alt="${escapedHtml(picture.alt)}"></p>` : "";

/** The values for templates. Strips markup from names, in both parts. */
function valuesOf({ name, link, token, variables }: MailParts, { branding, address }: Sender): Record<string, MailValue> {
  const plain = (text: string) => oneLine(plainWithoutHtml(text));
  return {
    ...(printable(variables) as Record<string, MailValue>),
    brand: plain(branding.name),
    name: name === null ? null : plain(name) || null,
    link: link === null ? null : address + link.replaceAll("{token}", token),
  };
}

/**
 * Renders HTML with a placeholder instead of the secret link. The real link is inserted afterwards, only as a link's target or as text: in
 * an image, or an address built by the template, it would send the secret to a third party.
 */
async function linkedHtml(link: string, write: (link: string) => Promise<string>): Promise<string> {
  const standIn = `https://${randomHex(16)}.invalid/`;
  const shown = escapedHtml(link);
  const html = await write(standIn);
  return html.replaceAll(new RegExp(`<[^>]*>|${RegExp.escape(standIn)}`, "g"), (part) => {
    if (part === standIn) return shown;
    return part.startsWith("<a ") ? part.replace(`href="${standIn}"`, `href="${shown}"`) : part;
  });
}

/**
 * Writes a mail in the recipient's language, else the organisation's, else the instance's (conventions §15). The plain text is always the
 * built-in wording and is complete on its own (money chapter §13). Subject and HTML use the organisation's own wording if it is usable.
 * @param organisation the sending organisation, with its language
 * @param override its own text for this kind and language
 * @param onUnusable called with the reason if its own text is unusable
 */
export async function compose(
  parts: MailParts,
  sender: Sender,
  organisation: { id: string; locale: string },
  override: Override | undefined,
  onUnusable: (error: Error) => void = () => {},
): Promise<Composed> {
  const locale = localeOf(parts.locale, organisation.locale);
  const { subject: ownSubject, body: whole } = mailKinds()[parts.kind].texts[locale];
  const builtIn = { subject: ownSubject, body: parts.link === null ? whole.filter((part) => !isButton(part)) : whole };
  const values = valuesOf(parts, sender);
  const own = async (source: string | undefined, fallback: string, medium: Medium, given = values): Promise<string> => {
    if (source?.trim()) {
      try {
        return await ownText(organisation.id, { source, medium, values: given });
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        onUnusable(error);
      }
    }
    const text = await render(fallback, medium, given);
    return medium === "html" ? sanitised(text) : text;
  };
  const htmlWith = (given: typeof values) => own(override?.body, builtInHtml(builtIn), "html", given);
  const subject = shortened(oneLine(await own(override?.subject, builtIn.subject, "text")), MOST_SUBJECT);
  const { link } = values as { link: string | null };
  const body =
    link === null || parts.token === ""
      ? await htmlWith(values)
      : await linkedHtml(link, (standIn) => htmlWith({ ...values, link: standIn }));
  const lead = leadOf(parts);
  const { logoUrl, color } = sender.branding;
  return {
    subject,
    text: (lead === "" ? "" : `${lead}\n\n`) + (await render(builtInText(builtIn), "text", values)),
    html: htmlPage(paragraphs(lead) + body + shownPicture(parts), {
      brand: values["brand"] as string,
      logoUrl,
      color,
      locale,
      subject,
    }),
  };
}
