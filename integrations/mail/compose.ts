import { localeOf } from "../../core/config/defaults.ts";
import type { MailKindName, MailText } from "../../core/declare/messages.ts";
import type { MailValue } from "../../core/mail/mail.ts";
import { mailKinds } from "../../core/mail/mail-kinds.ts";
import type { MailPicture } from "../../core/mail/mail-now.ts";
import type { Sender } from "../../core/mail/mail-sender.ts";
import { randomHex } from "../../core/security/crypto.ts";
import { offThread } from "../../core/threads/off-thread.ts";
import { TaskFailed } from "../../core/threads/thread-pool.ts";
import { escapedHtml, plainWithoutHtml } from "../../core/values/text.ts";
import { htmlPage } from "./layout.ts";
import type { OwnText } from "./own-text.task.ts";
import { sanitised } from "./sanitise.ts";
import { type Medium, MOST_SUBJECT, oneLine, printable, render } from "./template.ts";

/** An organisation's own text; blank parts mean the built-in one. */
export interface Override {
  subject: string;
  body: string;
}

/** What a mail is made of, whatever will send it. */
export interface MailParts {
  kind: MailKindName;
  /** The recipient's name and language; null when unknown. */
  name: string | null;
  locale: string | null;
  /** Path with `{token}` where the secret goes, or null. */
  link: string | null;
  token: string;
  variables: Readonly<Record<string, MailValue>>;
  /** What its sender wrote, before everything else. */
  lead?: string | null | undefined;
  /** Shown below the text. */
  picture?: MailPicture | null | undefined;
}

/** A mail in words. */
export interface Composed {
  subject: string;
  text: string;
  html: string;
}

/** Runs off the request's thread: it is the organisation's own program. */
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

/** What a sender wrote, as plain text; blank is nothing. */
const leadOf = ({ lead }: MailParts): string => (printable(lead ?? "") as string).trim();

/** Plain text as paragraphs: nothing in it is markup. */
const paragraphs = (text: string): string =>
  text === ""
    ? ""
    : `${text
        .split(/\n{2,}/)
        .map((part) => `<p>${escapedHtml(part).replaceAll("\n", "<br>")}</p>`)
        .join("\n")}\n`;

const shownPicture = ({ picture }: MailParts): string =>
  picture ? `\n<p><img src="cid:${escapedHtml(picture.name)}" alt="${escapedHtml(picture.alt)}"></p>` : "";

/** What templates may put in. Markup in names does not survive, in either part. */
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
 * HTML by a template that is given an address without a secret. The real link comes in afterwards, as the target of a link or as text,
 * and nowhere else: an image, or an address of the template's own, would carry the secret to a third party.
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
 * Writes a mail in the recipient's language, else the organisation's, else the instance's (conventions §15). The plain text is always
 * the built-in wording and stands alone (money chapter §13); subject and HTML are the organisation's own where it wrote them and they
 * can be used.
 * @param organisation whose mail it is, with its language
 * @param override its own text for this kind and language
 * @param onUnusable called with the reason when the own text could not be used
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
  const subject = oneLine(await own(override?.subject, builtIn.subject, "text")).slice(0, MOST_SUBJECT);
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
