import type { MailValue } from "../../core/mail/mail.ts";
import { sanitised } from "./sanitise.ts";
import { type Medium, render } from "./template.ts";

/** An organisation's own subject or body, with its values. */
export interface OwnText {
  source: string;
  medium: Medium;
  values: Readonly<Record<string, MailValue>>;
}

/** Renders an organisation's own text; HTML is sanitised. A task for threads. @throws Error as `render` */
export default async ({ source, medium, values }: OwnText): Promise<string> => {
  const text = await render(source, medium, values);
  return medium === "html" ? sanitised(text) : text;
};
